/** Dates as people type them, in local time: `2026-01-31`, `2026-01-31 09:00:00`. */

/** Whether a picker is about days, or about moments to the second. */
export type Precision = 'day' | 'second'

/** Seconds may be left out, and the whole time; one digit does. Chinese 年月日 is understood. */
const DATE = /^(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?$/
const TIME = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/

/**
 * The moment that a text means; midnight where it names no time. Undefined when it means none,
 * such as February 30, or names a time where a day is asked for.
 */
export function readTyped(text: string, precision: Precision): Date | undefined {
  // Digits, colons and spaces of Chinese input are wide.
  const [day = '', time, more] = text.normalize('NFKC').trim().split(/[ T]+/)
  const [, year, month, date] = DATE.exec(day)?.map(Number) ?? []
  if (year === undefined || month === undefined || more !== undefined) return undefined
  if (time !== undefined && (precision === 'day' || !TIME.test(time))) return undefined
  const [hours = 0, minutes = 0, seconds = 0] = time?.split(':').map(Number) ?? []
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined
  const found = new Date(year, month - 1, date, hours, minutes, seconds)
  const isReal = found.getFullYear() === year && found.getMonth() === month - 1 && found.getDate() === date
  return isReal ? found : undefined
}

const two = (value: number) => String(value).padStart(2, '0')

/** A moment as it would be typed. */
export function writeTyped(date: Date, precision: Precision): string {
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  if (precision === 'day') return day
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** The shape of a text, as people read it. */
export const SHAPES: Readonly<Record<Precision, string>> = {
  day: 'YYYY-MM-DD',
  second: 'YYYY-MM-DD HH:mm:ss',
}
