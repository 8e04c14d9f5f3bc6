/** The number of unread site messages, reported by the server as it changes (B7.24). */
import { showError } from '../../design/dialogs/feedback.tsx'
import { sharedValue } from '../../lib/hooks/shared-value.ts'
import { t } from '../../lib/i18n.ts'
import { watchNews } from '../news/news.ts'

const FIRST_RETRY_MS = 5000
const LONGEST_RETRY_MS = 120_000
/** The server refuses this browser: too many tabs, or the sign-in has ended. A retry would not help. */
const POLICY_VIOLATION = 1008

const unread = sharedValue(0)
let isFailureShown = false

/**
 * Sets the number that the bell shows; the drawer knows it first when it has just read the list.
 */
export const setUnread = unread.set

export const useUnread = unread.use

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
