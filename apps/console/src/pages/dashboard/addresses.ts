import { addDays, type DateRange, wholeDays } from '../../lib/time/date-range.ts'
import { listOf } from '../../navigation/routes.ts'

const DAY_MS = 86_400_000

/** A range as lists take it. */
export const inRange = ([from, to]: DateRange) => ({ date_from: from.toISOString(), date_to: to.toISOString() })

/** So many calendar days up to now, today among them. */
export const lastDays = (days: number): DateRange => wholeDays(addDays(new Date(), 1 - days), new Date())

/** From midnight to midnight: of what is counted by days nothing may be missing, as from 00:00:01 to 23:59:59. */
export function dayOf(day: Date): DateRange {
  const [from, to] = [new Date(day), new Date(day)]
  from.setHours(0, 0, 0, 0)
  to.setHours(23, 59, 59, 999)
  return [from, to]
}

/**
 * So many times 24 hours up to now, which sums and rankings count
 * (docs/rules/dashboard.md#overview).
 */
export function lastHours(days: number): DateRange {
  const now = new Date()
  return [new Date(now.getTime() - days * DAY_MS), now]
}

/** Sessions that began then, whether they have ended or not. */
export const sessionsOf = (range: DateRange, more: Readonly<Record<string, string>> = {}) =>
  listOf('SessionList', { activeTab: 'AllList', ...inRange(range), ...more })

/** Sessions that run, whenever they began. */
export const runningSessions = () => listOf('SessionList', { activeTab: 'OnlineList' })
