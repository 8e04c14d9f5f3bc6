/** The number of unread site messages, reported by the server as it changes (B7.24). */
import { useSyncExternalStore } from 'react'
import { showError } from '../../design/dialogs/feedback.tsx'
import { t } from '../../lib/i18n.ts'
import { watchNews } from '../news/news.ts'

const FIRST_RETRY_MS = 5000
const LONGEST_RETRY_MS = 120_000
/** The server refuses this browser: too many tabs, or the sign-in has ended. A retry would not help. */
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
 * Listens for as long as the page is open. A lost connection is opened again, after longer and longer
 * pauses; only the very first failure is shown.
 */
export function watchUnread(): void {
  let pause = FIRST_RETRY_MS
  watchNews('unreadCount', {
    onNews({ unread_count }) {
      pause = FIRST_RETRY_MS
      isFailureShown = true
      setUnread(unread_count)
    },
    onError() {
      if (!isFailureShown) showError(t('Connect Websocket failed'))
      isFailureShown = true
    },
    onLost(code) {
      if (code === POLICY_VIOLATION) return undefined
      const now = pause
      pause = Math.min(pause * 2, LONGEST_RETRY_MS)
      return now
    },
  })
}
