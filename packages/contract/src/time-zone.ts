/**
 * Names of time zones come from everywhere: browsers, clients in other languages, the environment.
 * Each library knows others of them: PostgreSQL has no `US/Pacific-New`, takes `+08:00` for west of
 * Greenwich as POSIX does, and browsers of some machines say `Etc/Unknown`. So every name is read
 * here, once.
 */

/** No zone has a longer name; what is longer is not looked at. */
const MAX_LENGTH = 64
const MAX_KNOWN = 1000

/** `+08:00`, `+0800`, `+8`, `UTC+8`, `GMT-03:30`: ahead of UTC, as ISO 8601 and people write it. */
const OFFSET = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?([0-5]\d))?$/i
/**
 * `CST-8`, `<+0530>-5:30`: behind UTC, with a name that means nothing, as POSIX writes the variable
 * TZ (IEEE Std 1003.1, 8.3) where clocks never change.
 */
const POSIX = /^(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)([+-]?)(\d{1,2})(?::([0-5]\d))?$/

/** Fixed zones with a name of their own: `Etc/GMT-14` (ahead) to `Etc/GMT+12` (behind). */
const LAST_NAMED_AHEAD = 14
const LAST_NAMED_BEHIND = 12

const known = new Map<string, string | undefined>()

/**
 * The zone that a name or an offset means, by a name that every engine and PostgreSQL understand in
 * the same way; where clocks are not whole hours from UTC and never change, as `+05:30`, which
 * PostgreSQL would read the other way round. Undefined for what means no zone.
 */
export function readTimeZone(text: string | undefined): string | undefined {
  if (!text || text.length > MAX_LENGTH) return undefined
  if (known.has(text)) return known.get(text)
  const zone = ofOffset(text) ?? ofName(text) ?? ofPosix(text)
  if (known.size < MAX_KNOWN) known.set(text, zone)
  return zone
}

/**
 * The same for the variable TZ, where `UTC+8` is behind UTC: as POSIX has it, and with it every
 * other program of the machine.
 */
export function readPosixZone(text: string): string | undefined {
  return ofPosix(text) ?? readTimeZone(text)
}

function ofName(name: string): string | undefined {
  try {
    // What it answers is the zone's first name: others come and go.
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    // Some, such as `SystemV/PST8`, are in no list of IANA's: only Intl knows them. Not every browser
    // has Temporal.
    globalThis.Temporal?.Now.zonedDateTimeISO(timeZone)
    return timeZone === 'Etc/Unknown' ? undefined : timeZone
  } catch {
    return undefined
  }
}

function ofOffset(text: string): string | undefined {
  if (text === 'Z') return 'UTC'
  const [, sign, hours, minutes] = OFFSET.exec(text) ?? []
  return hours === undefined ? undefined : fixedZone(sign === '-' ? -1 : 1, Number(hours), Number(minutes ?? 0))
}

function ofPosix(text: string): string | undefined {
  const [, sign, hours, minutes] = POSIX.exec(text) ?? []
  return hours === undefined ? undefined : fixedZone(sign === '-' ? 1 : -1, Number(hours), Number(minutes ?? 0))
}

/** @param sign 1 for ahead of UTC, -1 for behind */
function fixedZone(sign: 1 | -1, hours: number, minutes: number): string | undefined {
  if (hours > 23) return undefined
  if (!hours && !minutes) return 'UTC'
  const isNamed = !minutes && hours <= (sign > 0 ? LAST_NAMED_AHEAD : LAST_NAMED_BEHIND)
  // The sign in these names is that of POSIX.
  if (isNamed) return `Etc/GMT${sign > 0 ? '-' : '+'}${hours}`
  return `${sign > 0 ? '+' : '-'}${two(hours)}:${two(minutes)}`
}

const two = (n: number): string => String(n).padStart(2, '0')
