/** Recordings as the player takes them (contract web-terminal, replay_view). */
import {
  parseReplayEvent,
  parseReplaySize,
  type ReplayIndex,
  type ReplayMark,
  type ReplayPart,
  replaySize,
} from '@sallyport/contract/replay.ts'
import { t } from '../../lib/i18n.ts'
import type { Stage } from './playback-screen.ts'

export interface ReplayEvent {
  /** Seconds of the recording, never less than the one before. */
  time: number
  code: 'o' | 'r'
  data: string
}

/** Small pictures of moments. */
export interface Thumbnails {
  /** Moments of one number have one picture. */
  numberAt: (seconds: number) => number
  /** Undefined when there is none, or none to be had now. */
  at: (seconds: number) => Promise<ImageBitmap | undefined>
}

/** A recording that is read by the piece. What is asked for twice comes from memory. */
export interface Recording {
  /** Moment of second 0, in Unix seconds; undefined when the file does not say. */
  start: number | undefined
  duration: number
  parts: readonly ReplayPart[]
  /** @throws Error when it cannot be read */
  piece: (n: number) => Promise<readonly ReplayEvent[]>
  /** The same, and not remembered: a person who looks at many does not displace what is played. */
  glance?: (n: number) => Promise<readonly ReplayEvent[]>
  /**
   * What makes an empty terminal look as it did when the piece began. @throws Error when it cannot
   * be read
   */
  screen: (n: number) => Promise<string>
  /** What it is played on, where that is no terminal. */
  openStage?: (box: HTMLElement) => Stage
  thumbnails?: Thumbnails
  /** It is one of Guacamole: its clock at second 0, and what reads a piece as it is. */
  guacamole?: Pick<ReplayIndex, 'parts'> & { origin: number; text: (n: number) => Promise<string> }
  /** What happened beside the picture. */
  marks?: readonly ReplayMark[]
}

/** A click on a command shows what led to it; on a desktop that takes longer (contract web-terminal, replay_view). */
const LEAD_S = 5
export const DESKTOP_LEAD_S = 10

/** The events of a text of asciicast lines; what is damaged is passed over. */
export function readEvents(text: string, from = 0): ReplayEvent[] {
  const events: ReplayEvent[] = []
  let time = from
  for (const line of text.split('\n')) {
    const event = parseReplayEvent(line)
    if (!event) continue
    time = Math.max(time, event.time)
    events.push({ ...event, time })
  }
  return events
}

/**
 * A recording of which the whole text is there. One that was cut off may end in the middle of a
 * line: what is before it plays.
 * @throws Error when it is no recording, or an empty one
 */
export function wholeRecording(text: string): Recording {
  const header = readHeader(text.slice(0, Math.max(0, text.indexOf('\n'))))
  return ofEvents(readEvents(text), header.size, header.start)
}

/** One piece of the older kind, wherever it is. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON holds none of them.
const OLDER_PIECE = /"(\d{1,9}(?:\.\d+)?)"\s*:\s*("(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")/g

/**
 * Reads the older kind: an object of seconds → text. It knows no size; 80 by 24 is what was common. One
 * whose session broke has no end: what is whole in it plays.
 * @throws Error
 */
export function olderRecording(text: string): Recording {
  let pieces: [seconds: string, data: unknown][]
  try {
    pieces = Object.entries(JSON.parse(text) ?? {})
  } catch {
    pieces = [...text.matchAll(OLDER_PIECE)].map(([, seconds = '', data = '']) => [seconds, JSON.parse(data)])
    if (pieces.length === 0) throw new Error(t('The recording is damaged'))
  }
  const events = pieces
    .map(([seconds, data]): ReplayEvent => ({ time: Number(seconds), code: 'o', data: String(data) }))
    .filter(({ time }) => Number.isFinite(time))
    .sort((a, b) => a.time - b.time)
  return ofEvents(events, { cols: 80, rows: 24 }, undefined)
}

function ofEvents(events: ReplayEvent[], size: { cols: number; rows: number }, start: number | undefined): Recording {
  const last = events.at(-1)
  if (!last) throw new Error(t('The recording is empty'))
  return {
    start,
    duration: last.time,
    parts: [{ time: 0, ...size }],
    piece: async () => events,
    screen: async () => '',
  }
}

function readHeader(line: string): { size: { cols: number; rows: number }; start: number | undefined } {
  try {
    const { version, width, height, timestamp } = JSON.parse(line)
    if (version === 2)
      return {
        size: replaySize(Number(width), Number(height)),
        start: typeof timestamp === 'number' ? timestamp : undefined,
      }
  } catch {
    // said below
  }
  throw new Error(t('The recording is damaged'))
}

/** The new size of a resize event; undefined for what is no size. */
export function sizeOf({ code, data }: ReplayEvent): { cols: number; rows: number } | undefined {
  return code === 'r' ? parseReplaySize(data) : undefined
}

/** The piece that holds a moment. */
export function partAt(parts: readonly ReplayPart[], seconds: number): number {
  let [low, high] = [0, parts.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((parts[middle] as ReplayPart).time <= seconds) low = middle
    else high = middle - 1
  }
  return Math.max(low, 0)
}

/** Where a click on a command jumps to: a little before it, in seconds of the session. */
export function seekTarget(offset: number, lead = LEAD_S): number {
  return Math.max(0, offset - lead)
}

/** `1:02:03`, or `02:03` within the first hour. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(whole / 3600)
  return `${hours > 0 ? `${hours}:` : ''}${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
}
