import { t } from '../../lib/i18n.ts'
import type { ClosedBy } from '../screen/socket.ts'

/** Why somebody else's session is not seen any more. */
export const CLOSED_WORDS: Readonly<Record<ClosedBy, () => string>> = {
  ended: () => t('The session has ended.'),
  lost: () => t('The connection was lost.'),
  unreached: () => t('Node is unavailable, please contact administrator'),
}

/** A line of our own in the terminal; it is not part of the session and in no recording. */
export function notice(text: string): string {
  return `\r\n\x1b[0;33m${text.replaceAll('\n', '\r\n')}\x1b[0m\r\n`
}
