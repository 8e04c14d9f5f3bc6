import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { useLineDelay } from './use-line-delay.ts'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

test('the delay of a line that is slower than its questions is the whole of it', () => {
  vi.useFakeTimers()
  const ping = vi.fn()
  const line = { current: { ping } }
  const { result, rerender } = renderHook(({ isOn }) => useLineDelay(line, isOn), { initialProps: { isOn: true } })
  act(() => vi.advanceTimersByTime(7000))
  expect(ping).toHaveBeenCalledTimes(1)
  act(() => result.current.heard())
  expect(result.current.ms).toBe(7000)
  act(() => vi.advanceTimersByTime(3000))
  expect(ping).toHaveBeenCalledTimes(2)
  // An answer that a broken line has lost is not waited for on the next.
  rerender({ isOn: false })
  expect(result.current.ms).toBeUndefined()
  rerender({ isOn: true })
  expect(ping).toHaveBeenCalledTimes(3)
})
