import { expect, test, vi } from 'vitest'
import { queryClient } from '../lib/query.ts'
import { forgetListeners, forgetTimers } from './page-traces.ts'

/** As it is run before the next file. */
const nextFile = (file = 'fresh-page') => import(/* @vite-ignore */ `./${file}.ts?next`)

test('a file finds the page as it was made, and modules that know nothing of the file before it', async () => {
  queryClient.setQueryData(['/api/v1/users/users/'], [])
  vi.stubEnv('NODE_ENV', 'production')
  document.body.style.overflow = 'hidden'
  document.body.append('of the file before')
  localStorage.setItem('density', 'compact')
  history.replaceState(null, '', '/ui/users/users')
  await nextFile()
  expect((await import('../lib/query.ts')).queryClient.getQueryCache().getAll()).toEqual([])
  expect(process.env.NODE_ENV).toBe('test')
  expect(document.body.outerHTML).toBe('<body></body>')
  expect([localStorage.length, location.pathname]).toEqual([0, '/'])
})

test('timers and listeners of a file are forgotten with it; frames are drawn as before', async () => {
  const heard = vi.fn()
  setTimeout(heard)
  setInterval(heard)
  window.addEventListener('online', heard)
  document.addEventListener('keydown', heard)
  const drawn = new Promise((resolve) => requestAnimationFrame(resolve))
  forgetTimers()
  forgetListeners()
  window.dispatchEvent(new Event('online'))
  document.dispatchEvent(new Event('keydown'))
  await drawn
  await new Promise((resolve) => requestAnimationFrame(resolve))
  expect(heard).not.toHaveBeenCalled()
})

test('elements hide and flow as by themselves; nothing else of how they look is known', () => {
  document.body.innerHTML = '<address></address><p hidden></p><input type="hidden"><table></table><i></i>'
  const shown = Array.from(document.body.children, (element) => getComputedStyle(element).display)
  expect(shown).toEqual(['block', 'none', 'none', 'table', 'inline'])
  expect(getComputedStyle(document.body.children[0] as Element).fontStyle).not.toBe('italic')
})
