import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.useRealTimers()
  document.body.innerHTML = ''
})

test('a start without an answer is reported after five seconds, with a way to try again', async () => {
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
  document.cookie = 'django_language=en; path=/'
  vi.useFakeTimers()
  const root = document.body.appendChild(Object.assign(document.createElement('div'), { id: 'root' }))
  root.innerHTML = '<div class="starting"></div>'
  await import('./ahead.ts')
  vi.advanceTimersByTime(4900)
  expect(root.textContent).toBe('')
  vi.advanceTimersByTime(200)
  expect(root.querySelector('[role=alert] p')?.textContent).toBe('The server has not answered yet.')
  expect(root.querySelector('a')?.textContent).toBe('Try again')
})
