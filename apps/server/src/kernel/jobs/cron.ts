import { Cron } from 'croner'

/**
 * Whether the text is a five-part cron expression that is due some day (spec A5.09). Weekdays are 1
 * Monday to 7 Sunday; 0 is Sunday too.
 */
export function isCron(text: string): boolean {
  return nextTime(text, 'UTC', new Date()) !== undefined
}

/**
 * When a cron expression is due next after `after`, by the clocks of `zone` (an IANA name). A time
 * that the change to summer time skips comes at the end of the gap; one that comes twice in autumn
 * counts once.
 * @returns undefined when the text is no cron expression, or names a day that never comes
 */
export function nextTime(cron: string, zone: string, after: Date): Date | undefined {
  // Names such as @daily are of other programs: the contract has five parts.
  if (cron.trim().split(/\s+/).length !== 5) return undefined
  try {
    return new Cron(cron, { timezone: zone, mode: '5-part', paused: true }).nextRun(after) ?? undefined
  } catch {
    return undefined
  }
}

/** The server's own zone: that of the variable TZ, else of the machine. */
export function serverZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}
