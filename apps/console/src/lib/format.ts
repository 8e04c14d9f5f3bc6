import { languageTag, msg, t } from './i18n.ts'

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

/** Makes a formatter once for each language, when it is asked for first. */
export function oncePerLanguage<F>(make: (language: string) => F): () => F {
  const made = new Map<string, F>()
  return () => {
    const language = languageTag()
    const found = made.get(language) ?? make(language)
    made.set(language, found)
    return found
  }
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

const relativeWords = oncePerLanguage((language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }))

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

const numbers = oncePerLanguage((language) => new Intl.NumberFormat(language, { maximumFractionDigits: 1 }))

/** A number as people write it: `1,234.5`, with one decimal at most. */
export const formatNumber = (value: number): string => numbers().format(value)

/** Units of time in seconds, the largest first, as they are written behind a number. */
const UNITS = [
  [86_400, msg('{{count}} d')],
  [3600, msg('{{count}} h')],
  [60, msg('{{count}} min')],
  [1, msg('{{count}} s')],
] as const

/**
 * A duration in seconds as people say it: `2 h 5 min`, in its two largest units without those of
 * which there is none. Below ten seconds it has one decimal.
 */
export function formatDuration(seconds: number): string {
  const rounded = seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)
  // Rounded up it may be a whole minute.
  if (rounded < 60) return t('{{count}} s', { count: formatNumber(rounded) })
  // To the smaller of the two units.
  const step = seconds >= 86_400 ? 3600 : seconds >= 3600 ? 60 : 1
  let rest = Math.round(seconds / step) * step
  const words: string[] = []
  for (const [size, unit] of UNITS) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) words.push(t(unit, { count: formatNumber(count) }))
  }
  return words.join(' ')
}
