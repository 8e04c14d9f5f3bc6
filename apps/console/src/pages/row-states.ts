/** How it stands with rows of several domains, in a word or two. */
import type { RowState } from '../generic/view/detail-view.ts'
import { formatDate, parseDate } from '../lib/format.ts'
import { t } from '../lib/i18n.ts'

const YEAR_MS = 365 * 86_400_000
/** What ends later than this was never meant to end: new rows are given 70 years. */
const ENDLESS_YEARS = 30

/** Whether a row is switched on. */
export function activeState({ is_active }: { is_active: boolean }): RowState {
  return is_active ? { tone: 'good', words: t('Active@@state') } : { tone: 'quiet', words: t('Disabled@@state') }
}

/** The day on which something ends; undefined when it has no end that anybody alive would see. */
export function endOf(date_expired: unknown, now = Date.now()): string | undefined {
  const end = parseDate(date_expired)
  return end && end.getTime() - now < ENDLESS_YEARS * YEAR_MS ? formatDate(end.toISOString(), 'short') : undefined
}

/** Until when, or since when, something counts; undefined for what has no end. */
export function validityState(
  { date_start, date_expired }: { date_start?: unknown; date_expired?: unknown },
  now = Date.now(),
): RowState | undefined {
  const begin = parseDate(date_start)
  if (begin && begin.getTime() > now)
    return { tone: 'warning', words: t('Valid from {{date}}', { date: formatDate(date_start, 'short') }) }
  const [end, date] = [parseDate(date_expired), endOf(date_expired, now)]
  if (!end || !date) return undefined
  return end.getTime() <= now
    ? { tone: 'danger', words: t('Expired on {{date}}', { date }) }
    : { tone: 'info', words: t('Valid until {{date}}', { date }) }
}
