import { act, cleanup, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { setUnread, watchUnread } from '../../pages/notifications/unread.ts'
import { show, signIn } from '../../test/harness.tsx'
import { NewsLine } from '../../test/news-line.ts'
import { MessageBell } from './MessageBell.tsx'

/** Those that are not on their way out. */
const messages = () => screen.queryAllByRole('alert').filter(({ className }) => !className.includes('leave'))

afterEach(() => {
  cleanup()
  setUnread(0)
  vi.clearAllTimers()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('[B8.15 B7.24] a socket that cannot be opened is reported once, opened again after longer pauses, and then counts; malformed messages change nothing', async () => {
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', NewsLine)
  signIn()
  show(<MessageBell />, '/', '/')
  watchUnread()
  await vi.dynamicImportSettled()
  expect(NewsLine.last.address).toMatch(/^ws.*\/ws\/notifications\/site-msg\/$/)
  await act(async () => NewsLine.last.fail())
  screen.getByText('Connect Websocket failed')
  expect(messages()).toHaveLength(1)
  await act(() => vi.advanceTimersByTimeAsync(5000))
  expect(NewsLine.opened).toHaveLength(2)
  await act(async () => NewsLine.last.fail())
  await act(() => vi.advanceTimersByTimeAsync(9900))
  // The first message has gone by itself, and the second failure has brought none.
  expect(messages()).toEqual([])
  expect(NewsLine.opened).toHaveLength(2)
  await act(() => vi.advanceTimersByTimeAsync(100))
  expect(NewsLine.opened).toHaveLength(3)
  await act(async () => {
    NewsLine.last.say({ type: 'other', unread_count: 8 })
    NewsLine.last.say({ type: 'unread_count' })
    NewsLine.last.say('x')
    NewsLine.last.say({ type: 'unread_count', unread_count: 7 })
  })
  expect(screen.getByRole('button', { name: 'Site messages, 7 unread' }).textContent).toBe('7')
  await act(async () => NewsLine.last.fail(1008))
  await act(() => vi.advanceTimersByTimeAsync(600_000))
  expect(NewsLine.opened).toHaveLength(3)
})
