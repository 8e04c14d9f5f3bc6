/**
 * Dates on the wire: `2026/11/21 07:08:09 +0800`, in the zone of the client
 * (docs/rules/api.md#dates).
 */

const formatters = new Map<string, Intl.DateTimeFormat>()

function partsIn(date: Date, timeZone: string): Record<string, string> {
  let formatter = formatters.get(timeZone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    formatters.set(timeZone, formatter)
  }
  return Object.fromEntries(formatter.formatToParts(date).map(({ type, value }) => [type, value]))
}

const QUARTER_MS = 15 * 60_000
/** Zones, and quarters of each, that are kept. */
const MAX_ZONES = 100
const MAX_QUARTERS = 2000
/**
 * By zone, then by quarter of an hour, within which no present zone changes its offset: asking Intl is
 * slow.
 */
const offsets = new Map<string, Map<number, number>>()

/** Minutes that the zone is ahead of UTC at that moment. */
function offsetMinutes(date: Date, timeZone: string): number {
  let ofZone = offsets.get(timeZone)
  if (!ofZone) {
    if (offsets.size >= MAX_ZONES) offsets.clear()
    offsets.set(timeZone, (ofZone = new Map()))
  }
  const quarter = Math.floor(date.getTime() / QUARTER_MS)
  let offset = ofZone.get(quarter)
  if (offset === undefined) {
    if (ofZone.size >= MAX_QUARTERS) ofZone.clear()
    ofZone.set(quarter, (offset = findOffset(date, timeZone)))
  }
  return offset
}

function findOffset(date: Date, timeZone: string): number {
  const { year, month, day, hour, minute, second } = partsIn(date, timeZone)
  const local = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
  return Math.round((local - Math.floor(date.getTime() / 1000) * 1000) / 60_000)
}

const TWO_DIGITS = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'))
const two = (n: number) => TWO_DIGITS[n] ?? String(n)

export function formatDateTime(date: Date, timeZone: string): string {
  const offset = offsetMinutes(date, timeZone)
  const local = new Date(date.getTime() + offset * 60_000)
  const sign = offset < 0 ? '-' : '+'
  const ahead = Math.abs(offset)
  return (
    `${String(local.getUTCFullYear()).padStart(4, '0')}/${two(local.getUTCMonth() + 1)}/${two(local.getUTCDate())} ` +
    `${two(local.getUTCHours())}:${two(local.getUTCMinutes())}:${two(local.getUTCSeconds())} ${sign}${two(Math.floor(ahead / 60))}${two(ahead % 60)}`
  )
}

const PATTERN =
  /^(\d{4})[/-](\d{1,2})[/-](\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?$/

/**
 * Reads the form on the wire, the same with dashes, and ISO 8601; a time without an offset is in
 * the client's zone. Undefined for anything else.
 */
export function parseDateTime(text: string, timeZone: string): Date | undefined {
  const match = PATTERN.exec(text.trim())
  if (!match) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', zone] = match
  const utc = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
  const check = new Date(utc)
  if (
    Number.isNaN(utc) ||
    check.getUTCFullYear() !== Number(year) || // it would take the first hundred years for 1900 and later
    check.getUTCMonth() + 1 !== Number(month) ||
    check.getUTCDate() !== Number(day) ||
    Number(hour) > 23 ||
    Number(minute) > 59 ||
    Number(second) > 59
  )
    return undefined
  if (zone === 'Z') return check
  if (zone) {
    const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2))
    return new Date(utc - (zone.startsWith('-') ? -minutes : minutes) * 60_000)
  }
  return instantOf(utc, timeZone)
}

const DAY_MS = 86_400_000

/**
 * When clocks of the zone show that time (written as if it were UTC). A time that they show twice is
 * the first of the two; one that they skip is counted on from the offset before, as Temporal and
 * iCalendar have it: 02:30 in a night without that hour is 03:30.
 */
function instantOf(shown: number, timeZone: string): Date {
  const before = offsetMinutes(new Date(shown - DAY_MS), timeZone)
  const after = offsetMinutes(new Date(shown + DAY_MS), timeZone)
  // The larger offset gives the earlier moment.
  for (const offset of [Math.max(before, after), Math.min(before, after)]) {
    const moment = new Date(shown - offset * 60_000)
    if (offsetMinutes(moment, timeZone) === offset) return moment
  }
  return new Date(shown - before * 60_000)
}
