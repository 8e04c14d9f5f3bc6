import { languageTag } from './i18n.ts'

/**
 * Wire dates read `2026/01/31 09:00:00 +0800`, which no engine must parse; ISO text is understood
 * too. Undefined when it is no date.
 */
export function parseDate(value: unknown): Date | undefined {
  if (typeof value === 'number') return new Date(value)
  if (typeof value !== 'string' || value === '') return undefined
  const wire = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)$/.exec(value)
  const date = new Date(wire ? `${wire[1]}-${wire[2]}-${wire[3]}T${wire[4]}${wire[5]}:${wire[6]}` : value)
  return Number.isNaN(date.getTime()) ? undefined : date
}

const formatters = new Map<string, Intl.DateTimeFormat>()

/**
 * Intl formatters cost a millisecond each to make; a table of a hundred rows wants one, not a
 * hundred.
 */
function formatter(style: 'medium' | 'short' | 'long', timeZone?: string): Intl.DateTimeFormat {
  const key = `${languageTag()} ${style} ${timeZone ?? ''}`
  let found = formatters.get(key)
  if (!found) {
    const options: Intl.DateTimeFormatOptions =
      style === 'short'
        ? { year: 'numeric', month: '2-digit', day: '2-digit' }
        : {
            year: 'numeric',
            month: '2-digit',
            day: '2-digit',
            hour: '2-digit',
            minute: '2-digit',
            second: '2-digit',
            hourCycle: 'h23',
          }
    if (style === 'long') options.timeZoneName = 'short'
    if (timeZone) options.timeZone = timeZone
    found = new Intl.DateTimeFormat(languageTag(), options)
    formatters.set(key, found)
  }
  return found
}

/**
 * Local date and time, or those of another IANA zone, on a 24-hour clock (B9.19); an empty
 * string for no date.
 */
export function formatDate(value: unknown, style: 'short' | 'medium' | 'long' = 'medium', timeZone?: string): string {
  const date = parseDate(value)
  return date ? formatter(style, timeZone).format(date) : ''
}

const DAY_MS = 86_400_000

const relative = new Map<string, Intl.RelativeTimeFormat>()

function relativeWords(): Intl.RelativeTimeFormat {
  const language = languageTag()
  const found = relative.get(language) ?? new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  relative.set(language, found)
  return found
}

/** "3 hours ago" within seven days, else the date (B9.09). */
export function formatRelative(value: unknown, now = Date.now()): string {
  const date = parseDate(value)
  if (!date) return ''
  const ms = date.getTime() - now
  if (Math.abs(ms) >= 7 * DAY_MS) return formatDate(value)
  const words = relativeWords()
  const size = Math.abs(ms)
  if (size < 60_000) return words.format(Math.round(ms / 1000), 'second')
  if (size < 3_600_000) return words.format(Math.round(ms / 60_000), 'minute')
  if (size < DAY_MS) return words.format(Math.round(ms / 3_600_000), 'hour')
  return words.format(Math.round(ms / DAY_MS), 'day')
}

/** What ends later than this was never meant to end: new rows are given 70 years. */
const ENDLESS_DAYS = 30 * 365

/** Whether a moment is so far off that it means: never. */
export function isEndless(value: unknown, now = Date.now()): boolean {
  const date = parseDate(value)
  return date !== undefined && date.getTime() - now >= ENDLESS_DAYS * DAY_MS
}

/** The day on which something ends; undefined when it has no end that anybody alive would see. */
export function endOf(date_expired: unknown, now = Date.now()): string | undefined {
  const end = parseDate(date_expired)
  return end && !isEndless(date_expired, now) ? formatDate(end.toISOString(), 'short') : undefined
}

/** Calendar days from one moment to another, in local time. */
export function calendarDays(from: Date, to: Date): number {
  const midnight = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())
  return Math.round((midnight(to) - midnight(from)) / DAY_MS)
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** A duration in seconds in its largest unit over 1, with one decimal: `1.5h`. */
export function formatDuration(seconds: number): string {
  for (const [unit, size] of UNITS) {
    if (seconds >= size || unit === 'second') {
      const value = Math.round((seconds / size) * 10) / 10
      return new Intl.NumberFormat(languageTag(), {
        style: 'unit',
        unit,
        unitDisplay: 'narrow',
        maximumFractionDigits: 1,
      }).format(value)
    }
  }
  return ''
}
