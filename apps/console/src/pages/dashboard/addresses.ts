import { listOf } from '../../navigation/routes.ts'
import { addDays, type DateRange, wholeDays } from '../date-range.ts'

/** A range as lists take it. */
export const inRange = ([from, to]: DateRange) => ({ date_from: from.toISOString(), date_to: to.toISOString() })

/** So many calendar days up to now, today among them. */
export const lastDays = (days: number): DateRange => wholeDays(addDays(new Date(), 1 - days), new Date())

/** Sessions that ended, which began in these days. */
export const sessionsOf = (range: DateRange, more: Readonly<Record<string, string>> = {}) =>
  listOf('SessionList', { activeTab: 'OfflineList', ...inRange(range), ...more })

/** Sessions that run; none is older than its recording may be kept open. */
export const runningSessions = () => listOf('SessionList', { activeTab: 'OnlineList', ...inRange(lastDays(90)) })
