import { Cron } from 'croner'

const NOT_FIVE = 'Write five parts: minute, hour, day, month, weekday'

/**
 * The fault of a schedule, as a translation key; undefined for a five-part cron expression that is
 * due some day (A5.09). Weekdays are 1 Monday to 7 Sunday; 0 is Sunday too.
 */
export function cronFault(text: string): string | undefined {
  if (!hasFiveParts(text)) return NOT_FIVE
  try {
    return fiveParts(text, 'UTC').nextRun() ? undefined : 'This schedule never runs'
  } catch {
    return 'One part cannot be read: minute 0 to 59, hour 0 to 23, day 1 to 31, month 1 to 12, weekday 0 to 7'
  }
}

/** Names such as @daily are of other programs: the contract has five parts. */
const hasFiveParts = (text: string): boolean => text.trim().split(/\s+/).length === 5

/** Throws for what is no cron expression. */
function fiveParts(text: string, timezone: string): Cron {
  if (!hasFiveParts(text)) throw new RangeError(NOT_FIVE)
  return new Cron(text, { timezone, mode: '5-part', paused: true })
}

/**
 * When a cron expression is due next after `after`, by the clocks of `zone` (an IANA name). A time
 * that the change to summer time skips comes at the end of the gap; one that comes twice in autumn
 * counts once.
 * @returns undefined when the text is no cron expression, or names a day that never comes
 */
export function nextTime(cron: string, zone: string, after: Date): Date | undefined {
  try {
    return fiveParts(cron, zone).nextRun(after) ?? undefined
  } catch {
    return undefined
  }
}
