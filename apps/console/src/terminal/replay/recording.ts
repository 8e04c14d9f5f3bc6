/** Recordings as the player takes them, and the arithmetic of their time (contract web-terminal, replay_view). */
import { t } from '../../lib/i18n.ts'

export interface Recording {
  /** asciicast, ending with the last line that was written whole. */
  cast: string
  /** Moment of second 0, in Unix seconds; undefined when the file does not say. */
  start: number | undefined
  /** Seconds of every event from the start, ascending. */
  times: Float64Array
}

/** Pauses longer than this are cut to it when idle time is skipped. */
export const IDLE_LIMIT_S = 2
/** A click on a command shows what led to it. */
const LEAD_S = 5

/**
 * Reads asciicast version 2. The recording of a session that was cut off may end in the middle of a line: what is before it plays.
 * @throws Error when it is no recording, or an empty one
 */
export function readCast(text: string): Recording {
  const lines = text.split('\n')
  let header: { version?: number; timestamp?: number }
  try {
    header = JSON.parse(lines[0] ?? '')
  } catch {
    throw new Error(t('The recording is damaged'))
  }
  if (header?.version !== 2) throw new Error(t('The recording is damaged'))
  const whole = lines.slice(1).filter((line) => line.startsWith('['))
  if (whole.length > 0 && !isEvent(whole.at(-1) as string)) whole.pop()
  if (whole.length === 0) throw new Error(t('The recording is empty'))
  const times = Float64Array.from(whole, (line) => Number.parseFloat(line.slice(1)))
  return { cast: [lines[0], ...whole].join('\n'), start: typeof header.timestamp === 'number' ? header.timestamp : undefined, times }
}

function isEvent(line: string): boolean {
  try {
    return Array.isArray(JSON.parse(line))
  } catch {
    return false
  }
}

/** Reads the older kind: an object of seconds → text. It knows no size; 80 by 24 is what was common. */
export function readJsonReplay(text: string): Recording {
  const pieces = Object.entries(JSON.parse(text) as Record<string, string>)
    .map(([seconds, output]): [number, string] => [Number(seconds), output])
    .filter(([seconds]) => Number.isFinite(seconds))
    .sort(([a], [b]) => a - b)
  return readCast(
    [
      JSON.stringify({ version: 2, width: 80, height: 24 }),
      ...pieces.map(([seconds, output]) => JSON.stringify([seconds, 'o', output])),
    ].join('\n'),
  )
}

/** Where a moment of the session is on the player's clock, in seconds; different only while idle time is skipped. */
export function playerTime(times: Float64Array, sessionTime: number, skipIdle: boolean): number {
  if (!skipIdle) return sessionTime
  let previous = 0
  let cut = 0
  for (const time of times) {
    if (time > sessionTime) return Math.min(sessionTime - previous, IDLE_LIMIT_S) + previous - cut
    cut += Math.max(0, time - previous - IDLE_LIMIT_S)
    previous = time
  }
  return previous - cut
}

/** The moment of the session that the player's clock shows: the inverse of `playerTime`. */
export function sessionTime(times: Float64Array, playerSeconds: number, skipIdle: boolean): number {
  if (!skipIdle) return playerSeconds
  let previous = 0
  let cut = 0
  for (const time of times) {
    const shownNext = time - cut - Math.max(0, time - previous - IDLE_LIMIT_S)
    if (shownNext > playerSeconds) return playerSeconds + cut
    cut = time - shownNext
    previous = time
  }
  return previous
}

/** Where a click on a command jumps to: a little before it, in seconds of the session. */
export function seekTarget(offset: number): number {
  return Math.max(0, offset - LEAD_S)
}

/** `1:02:03`, or `02:03` within the first hour. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(whole / 3600)
  return `${hours > 0 ? `${hours}:` : ''}${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
}
