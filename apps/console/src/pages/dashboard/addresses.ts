import { addressOf } from '../../navigation/routes.ts'
import { addDays, type DateRange, wholeDays } from '../date-range.ts'

/**
 * The address of a list that is narrowed to these values; undefined for people without the page,
 * so that the link becomes plain text.
 */
export function listOf(route: string, query: Readonly<Record<string, string>> = {}): string | undefined {
  const address = addressOf(route)
  const text = new URLSearchParams(query).toString()
  return address && (text ? `${address}?${text}` : address)
}

/** A range as lists take it. */
export const inRange = ([from, to]: DateRange) => ({ date_from: from.toISOString(), date_to: to.toISOString() })

/** So many calendar days up to now, today among them. */
export const lastDays = (days: number): DateRange => wholeDays(addDays(new Date(), 1 - days), new Date())

/** Sessions that ended, which began in these days. */
export const sessionsOf = (range: DateRange, more: Readonly<Record<string, string>> = {}) =>
  listOf('SessionList', { activeTab: 'OfflineList', ...inRange(range), ...more })

/** Sessions that run; none is older than its recording may be kept open. */
export const runningSessions = () => listOf('SessionList', { activeTab: 'OnlineList', ...inRange(lastDays(90)) })
