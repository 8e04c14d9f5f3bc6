import { act, cleanup, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { setUnread, watchUnread } from '../../pages/notifications/unread.ts'
import { show, signIn } from '../../test/harness.tsx'
import { MessageBell } from './MessageBell.tsx'

/** Lines that tests end and speak on by hand. */
class Line extends EventTarget {
  static readonly opened: Line[] = []
  readonly address: string
  constructor(address: string) {
    super()
    this.address = address
    Line.opened.push(this)
  }
  say(count: number): void {
    this.dispatchEvent(
      new MessageEvent('message', { data: JSON.stringify({ type: 'unread_count', unread_count: count }) }),
    )
  }
  fail(code = 1006): void {
    this.dispatchEvent(new Event('error'))
    this.dispatchEvent(new CloseEvent('close', { code }))
  }
}
/** Those that are not on their way out. */
const messages = () => screen.queryAllByRole('alert').filter(({ className }) => !className.includes('leave'))
const last = () => Line.opened.at(-1) as Line

afterEach(() => {
  cleanup()
  setUnread(0)
  vi.clearAllTimers()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('[B8.15 B7.24] a line that cannot be opened is reported once, tried again ever more seldom, and then counts', async () => {
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', Line)
  signIn()
  show(<MessageBell />, '/', '/')
  watchUnread()
  expect(last().address).toMatch(/^ws.*\/ws\/notifications\/site-msg\/$/)
  await act(async () => last().fail())
  screen.getByText('Connect Websocket failed')
  expect(messages()).toHaveLength(1)
  await act(() => vi.advanceTimersByTimeAsync(5000))
  expect(Line.opened).toHaveLength(2)
  await act(async () => last().fail())
  await act(() => vi.advanceTimersByTimeAsync(9900))
  // The first message has gone by itself, and the second failure has brought none.
  expect(messages()).toEqual([])
  expect(Line.opened).toHaveLength(2)
  await act(() => vi.advanceTimersByTimeAsync(100))
  expect(Line.opened).toHaveLength(3)
  await act(async () => last().say(7))
  expect(screen.getByRole('button', { name: 'Site messages, 7 unread' }).textContent).toBe('7')
  await act(async () => last().fail(1008))
  await act(() => vi.advanceTimersByTimeAsync(600_000))
  expect(Line.opened).toHaveLength(3)
})
