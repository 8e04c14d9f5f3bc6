/** A range of dates as calls take it. */
export type DateRange = readonly [from: Date, to: Date]

/** The same time of day, days later; negative for earlier. */
export function addDays(date: Date, days: number): Date {
  const next = new Date(date)
  next.setDate(next.getDate() + days)
  return next
}

/** From 00:00:01 of one day to 23:59:59 of another (B9.17). */
export function wholeDays(from: Date, to: Date): DateRange {
  const [first, last] = [new Date(from), new Date(to)]
  first.setHours(0, 0, 1, 0)
  last.setHours(23, 59, 59, 0)
  return [first, last]
}

/** Some days back until the end of the month. */
export function defaultRange(daysBack: number, now = new Date()): DateRange {
  return wholeDays(addDays(now, -daysBack), new Date(now.getFullYear(), now.getMonth() + 1, 0))
}

/**
 * The range of an address, `fallback` when it names none; one that is no range becomes 5 days ago
 * to tomorrow (B5.10 B9.18).
 */
export function rangeOf(address: URLSearchParams, fallback: DateRange, now = new Date()): DateRange {
  const [from, to] = [address.get('date_from'), address.get('date_to')]
  if (!from && !to) return fallback
  const range: DateRange = [from ? new Date(from) : fallback[0], to ? new Date(to) : fallback[1]]
  // An invalid date is neither before nor after another.
  return range[0] <= range[1] ? range : wholeDays(addDays(now, -5), addDays(now, 1))
}
