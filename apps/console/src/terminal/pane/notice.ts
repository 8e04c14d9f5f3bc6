import { t } from '../../lib/i18n.ts'
import type { EndedBy } from '../screen/session-line.ts'
import type { ClosedBy } from '../screen/socket.ts'

/** The size of a terminal, which the gateway requires of panes that have none. */
export const NO_TERMINAL = { cols: 80, rows: 24 }

/** Why the session of another person is no longer shown. */
export const CLOSED_WORDS: Readonly<Record<ClosedBy, () => string>> = {
  ended: () => t('The session has ended.'),
  lost: () => t('The connection was lost.'),
  unreached: () => t('Node is unavailable, please contact administrator'),
}

/** Why one's own session is over. */
export const LAST_WORDS: Readonly<Record<EndedBy, () => string>> = {
  ...CLOSED_WORDS,
  moved: () => t('You work on in another window.'),
}

/** A line of our own in the terminal; it is not part of the session and in no recording. */
export function notice(text: string): string {
  return `\r\n\x1b[0;33m${text.replaceAll('\n', '\r\n')}\x1b[0m\r\n`
}
