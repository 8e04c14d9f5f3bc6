/**
 * What server and player say to each other about a recording that is played in pieces. Times are
 * seconds of the recording.
 */

/**
 * One piece of a recording: what the screen was before it can be had as well, so that playing can
 * begin here.
 */
export interface ReplayPart {
  /** Of its first event; of the first part 0. */
  time: number
  cols: number
  rows: number
}

/** GET …/replay/index/: everything needed to show a time line and to fetch pieces. */
export interface ReplayIndex {
  /** Moment of second 0, in Unix seconds; null when the file does not say. */
  start: number | null
  duration: number
  /** The largest size that the terminal ever had. */
  cols: number
  rows: number
  /** Of the recording as text. */
  bytes: number
  /** SHA-256 of the recording as text, as `sha256sum` prints it for the downloaded `.cast`. */
  sha256: string
  parts: readonly ReplayPart[]
}

/**
 * GET …/replay/index/ while the index is being made (`running`), or when the recording can only be
 * read as a whole (`unavailable`).
 */
export interface ReplayIndexPending {
  status: 'running' | 'unavailable'
}

/** GET …/replay/integrity/ */
export interface ReplayIntegrity {
  /** False when the file is not what was recorded; true also when nothing is known of it yet. */
  intact: boolean
}

/** A place in a recording where a text stood on the screen. */
export interface ReplayHit {
  time: number
  /** The line, or what is around the place of a long one. */
  text: string
  /** Where in `text` it was found. */
  from: number
  to: number
}

/** GET …/replay/search/?q= */
export interface ReplaySearch {
  hits: readonly ReplayHit[]
  /** The search stopped early: too many places, or too long. */
  more: boolean
}

/** A recording in which a text was found, of GET /api/v1/terminal/sessions/replay-search/. */
export interface ReplaySearchFound extends ReplaySearch {
  /** Of the session. */
  id: string
  user: string
  asset: string
  system_user: string
  /** ISO 8601. */
  date_start: string
}

export interface ReplaySearchAll {
  /** Latest first. */
  results: readonly ReplaySearchFound[]
  /** Recordings that were looked at in this call. */
  searched: number
  /** The session where this call stopped: `after` of the next. Null when all were looked at. */
  next: string | null
}

/** Sizes beyond these are no terminal's; a recording that claims them must not cost the memory. */
const REPLAY_MAX_SIZE = { cols: 1000, rows: 500 } as const

/**
 * `120x40`, as in a recording's resize events; undefined for what is no size. Held within what a
 * terminal may be.
 */
export function parseReplaySize(text: string): { cols: number; rows: number } | undefined {
  const [, cols, rows] = /^(\d{1,9})x(\d{1,9})$/.exec(text) ?? []
  return cols && rows ? replaySize(Number(cols), Number(rows)) : undefined
}

export function replaySize(cols: number, rows: number): { cols: number; rows: number } {
  const within = (value: number, max: number) => Math.min(Math.max(Math.floor(value) || 1, 1), max)
  return { cols: Math.max(2, within(cols, REPLAY_MAX_SIZE.cols)), rows: within(rows, REPLAY_MAX_SIZE.rows) }
}

/** Seconds after which a moment is no moment of a session any more. */
const MAX_TIME_S = 1e8

/**
 * One event of an asciicast v2 line: output or a new size. Undefined for all else: other kinds,
 * damaged lines, the header.
 */
export function parseReplayEvent(line: string): { time: number; code: 'o' | 'r'; data: string } | undefined {
  if (!line.startsWith('[')) return undefined
  try {
    const [time, code, data] = JSON.parse(line) as [unknown, unknown, unknown]
    if (typeof time !== 'number' || !(time >= 0 && time <= MAX_TIME_S) || typeof data !== 'string') return undefined
    return code === 'o' || code === 'r' ? { time, code, data } : undefined
  } catch {
    return undefined
  }
}

/** What the emulator needs of its parser here; the same in the browser and on the server. */
interface SequenceParser {
  registerCsiHandler(
    id: { prefix?: string; intermediates?: string; final: string },
    callback: (params: (number | number[])[]) => boolean,
  ): unknown
}

const REPEATING = ['@', 'A', 'b', 'I', 'L', 'M', 'P', 'S', 'T', 'X', 'Z'] as const
const MAX_REPEAT = 4096

/**
 * Drops control sequences that repeat something absurdly often. The emulator would do as it is
 * told, for minutes or with gigabytes (`ESC [ 2147483647 b`), and a recording holds whatever a
 * machine has sent.
 */
export function dropCostlySequences(parser: SequenceParser): void {
  const isCostly = (params: (number | number[])[]) =>
    params.some((value) => typeof value === 'number' && value > MAX_REPEAT)
  for (const final of REPEATING) {
    parser.registerCsiHandler({ final }, isCostly)
    if (final === '@' || final === 'A') parser.registerCsiHandler({ intermediates: ' ', final }, isCostly)
  }
  for (const final of ['}', '~']) parser.registerCsiHandler({ intermediates: "'", final }, isCostly)
}
