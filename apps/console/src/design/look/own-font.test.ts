import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startOwnFont } from './own-font.ts'

/** The font of this document, which comes when it is asked for. */
const load = vi.fn(async () => [])

beforeEach(() => {
  load.mockClear()
  vi.useFakeTimers()
  vi.stubGlobal('requestIdleCallback', (work: () => void) => work())
  Object.defineProperty(document, 'fonts', { configurable: true, value: { load } })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  Reflect.deleteProperty(document, 'fonts')
})

test('the first document fetches the font once it stands, and its letters change with the next page alone', async () => {
  const fetched = startOwnFont()
  expect(load).not.toHaveBeenCalled()
  vi.runAllTimers()
  const show = await fetched
  expect(load).toHaveBeenCalledOnce()
  expect(document.documentElement.dataset.font).toBeUndefined()
  show()
  expect(document.documentElement.dataset.font).toBe('own')
})

test('the next document has the font before its first text', () => {
  localStorage.setItem('console_font', 'kept')
  void startOwnFont()
  expect(document.documentElement.dataset.font).toBe('own')
  expect(load).toHaveBeenCalledOnce()
})
