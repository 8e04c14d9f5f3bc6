/** A range of dates as calls take it. */
export type DateRange = readonly [from: Date, to: Date]

/** The same in ISO 8601. */
export type IsoRange = readonly [from: string, to: string]

export const isoOf = ([from, to]: DateRange): IsoRange => [from.toISOString(), to.toISOString()]

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

/** Some days back until the end of today: what happened has no dates in the future. */
export function defaultRange(daysBack: number, now = new Date()): DateRange {
  return wholeDays(addDays(now, -daysBack), now)
}

/**
 * The range of an address, `fallback` when it names none; one that is no range becomes the last 5
 * days (B5.10 B9.18). It ends today at the latest.
 */
export function rangeOf(address: URLSearchParams, fallback: DateRange, now = new Date()): DateRange {
  const [from, to] = [address.get('date_from'), address.get('date_to')]
  if (!from && !to) return fallback
  const [, today] = wholeDays(now, now)
  const range: DateRange = [from ? new Date(from) : fallback[0], to ? new Date(to) : fallback[1]]
  // An invalid date is neither before nor after another.
  if (!(range[0] <= range[1] && range[0] <= today)) return defaultRange(5, now)
  return range[1] > today ? [range[0], today] : range
}
