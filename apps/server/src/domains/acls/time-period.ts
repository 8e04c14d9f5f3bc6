import { serverZone } from '../../kernel/server-zone.ts'

/**
 * When a rule holds on one weekday (0 is Sunday): `09:00~12:00、13:00~18:00`; empty: not on that day
 * (docs/rules/acls.md#time_period_syntax).
 */
export interface TimePeriod {
  id: number
  value: string
}

const SEPARATOR = '、'
const RANGE = /^([01]\d|2[0-3]):([0-5]\d)~([01]\d|2[0-4]):([0-5]\d)$/
const DAY_MINUTES = 24 * 60

/**
 * First and last minute of a range, both included; an end of 00:00 is midnight. Undefined for
 * malformed text.
 */
function readRange(text: string): { first: number; last: number } | undefined {
  const [, fromHour, fromMinute, toHour, toMinute] = RANGE.exec(text.trim()) ?? []
  if (fromHour === undefined) return undefined
  const first = Number(fromHour) * 60 + Number(fromMinute)
  const last = Number(toHour) * 60 + Number(toMinute) || DAY_MINUTES
  return first < last && last <= DAY_MINUTES ? { first, last } : undefined
}

const rangesOf = (value: string) => value.split(SEPARATOR).filter((text) => text.trim() !== '')

/** Whether a day's text is well-formed; a range that ends before it begins is not. */
export function isTimePeriod(value: string): boolean {
  return rangesOf(value).every((text) => readRange(text) !== undefined)
}

/**
 * Whether the moment lies in the periods, in the server's own time zone and to the minute. A rule
 * without any time holds always (contract/README.md).
 */
export function isInPeriods(periods: readonly TimePeriod[], now: Date, zone = serverZone()): boolean {
  if (periods.every(({ value }) => rangesOf(value).length === 0)) return true
  const local = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone)
  const minute = local.hour * 60 + local.minute
  // Temporal counts Sunday as 7.
  const weekday = local.dayOfWeek % 7
  return periods
    .filter(({ id }) => id === weekday)
    .flatMap(({ value }) => rangesOf(value))
    .some((text) => {
      const range = readRange(text)
      return range !== undefined && range.first <= minute && minute <= range.last
    })
}
