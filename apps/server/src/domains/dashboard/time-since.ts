import { type Language, translate } from '../../kernel/i18n/translate.ts'

const UNITS = [
  ['year', 'years', 365 * 86_400],
  ['month', 'months', 30 * 86_400],
  ['week', 'weeks', 7 * 86_400],
  ['day', 'days', 86_400],
  ['hour', 'hours', 3600],
  ['minute', 'minutes', 60],
] as const

/**
 * How long ago, in words and in the two largest neighboring units: `1 hour, 5 minutes`. Less than
 * a minute is `0 minutes`.
 */
export function timeSince(date: Date, language: Language, now = new Date()): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - date.getTime()) / 1000))
  const index = UNITS.findIndex(([, , size]) => seconds >= size)
  const say = (count: number, [single, plural]: readonly [string, string, number]) =>
    `${count} ${translate(language, count === 1 ? single : plural)}`
  const [unit, next] = [UNITS[index], UNITS[index + 1]]
  if (!unit) return say(0, UNITS[5])
  const count = Math.floor(seconds / unit[2])
  const rest = next ? Math.floor((seconds - count * unit[2]) / next[2]) : 0
  return next && rest ? `${say(count, unit)}, ${say(rest, next)}` : say(count, unit)
}
