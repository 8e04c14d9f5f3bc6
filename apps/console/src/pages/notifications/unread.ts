/** The number of unread site messages, sent by the server as it changes (B7.24). */
import { useSyncExternalStore } from 'react'
import { showError } from '../../design/feedback.tsx'
import { t } from '../../lib/i18n.ts'

const PATH = '/ws/notifications/site-msg/'
const FIRST_RETRY_MS = 5000
const LONGEST_RETRY_MS = 120_000
/**
 * The server turned this browser away: too many tabs, or the sign-in has ended. Another try would
 * not help.
 */
const POLICY_VIOLATION = 1008

let unread = 0
let isFailureShown = false
const listeners = new Set<() => void>()

/**
 * Sets the number that the bell shows; the drawer knows it first when it has just read the list.
 */
export function setUnread(count: number): void {
  unread = count
  for (const listener of listeners) listener()
}

export function useUnread(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => unread,
  )
}

/**
 * Listens for as long as the page lives. A lost line is taken up again, ever more seldom; only the
 * very first failure is reported.
 */
export function watchUnread(delay = FIRST_RETRY_MS): void {
  const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}${PATH}`)
  let pause = delay
  socket.addEventListener('message', ({ data }) => {
    const count = countIn(data)
    if (count === undefined) return
    pause = FIRST_RETRY_MS
    isFailureShown = true
    setUnread(count)
  })
  socket.addEventListener('error', () => {
    if (!isFailureShown) showError(t('Connect Websocket failed'))
    isFailureShown = true
  })
  socket.addEventListener('close', ({ code }) => {
    if (code !== POLICY_VIOLATION) setTimeout(watchUnread, pause, Math.min(pause * 2, LONGEST_RETRY_MS))
  })
}

/** `{type: "unread_count", unread_count: n}`; undefined for anything else. */
export function countIn(data: unknown): number | undefined {
  try {
    const message = JSON.parse(String(data)) as { type?: unknown; unread_count?: unknown }
    return message.type === 'unread_count' && typeof message.unread_count === 'number'
      ? message.unread_count
      : undefined
  } catch {
    return undefined
  }
}
