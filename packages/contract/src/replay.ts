/**
 * What server and player exchange about a recording that is played in pieces. Times are seconds of
 * the recording.
 */

/**
 * One piece of a recording. The screen at its beginning is stored as well, so that playing can
 * start here.
 */
export interface ReplayPart {
  /** Time of its first event; 0 for the first part. */
  time: number
  cols: number
  rows: number
  /** In a recording of Guacamole: the picture at its beginning is known from the piece before it alone. */
  follows?: true
}

/** GET …/replay/index/: everything needed to show a time line and to fetch pieces. */
export interface ReplayIndex {
  /** Moment of second 0 in Unix seconds; null when the file does not say. */
  start: number | null
  duration: number
  /** The largest size that the terminal had. */
  cols: number
  rows: number
  /** Size of the recording as text. */
  bytes: number
  /** SHA-256 of the recording as text, as `sha256sum` prints it for the downloaded `.cast`. */
  sha256: string
  parts: readonly ReplayPart[]
  /** In a recording of Guacamole: its clock at second 0, in milliseconds. */
  origin?: number
  /** In a desktop: events beside its picture. */
  marks?: readonly ReplayMark[]
}

/**
 * An event on a desktop that a replay shows. For keys, how many were pressed since the
 * mark of them before; of a clipboard how much, and what only where a setting says so.
 */
export interface ReplayMark {
  time: number
  kind: 'copy' | 'paste' | 'notice' | 'size' | 'keys' | 'upload' | 'download'
  characters?: number
  /** Files on a clipboard. */
  files?: number
  /** Count of keys. */
  count?: number
  /** It was not let through. */
  refused?: true
  /** The text that a search looks through; for files their name. */
  text?: string
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

/** A place in a recording where a text was on the screen, or was noted beside the picture of a desktop. */
export interface ReplayHit {
  time: number
  /** The line; of a long one, the part around the place. */
  text: string
  /** Where `text` contains it. */
  from: number
  to: number
}

/** GET …/replay/search/?q= */
export interface ReplaySearch {
  hits: readonly ReplayHit[]
  /** Whether the search stopped early: too many places, or too long. */
  more: boolean
  /** The recording is damaged: behind this nothing could be read. */
  damaged?: true
}

/** A recording in which a text was found, of GET /api/v1/terminal/sessions/replay-search/. */
export interface ReplaySearchFound extends ReplaySearch {
  /** The session's id. */
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
  /** Recordings that were read in this call. */
  searched: number
  /** Recordings that this call came to and could not read: gone, damaged, too old, out of reach. */
  unread: number
  /** The session where this call stopped, for `after` of the next. Null when all were read. */
  next: string | null
}

/** Larger sizes are no terminal's: a recording that claims them must not use up the memory. */
const REPLAY_MAX_SIZE = { cols: 1000, rows: 500 } as const

/**
 * A size such as `120x40` in a recording's resize events, clamped to what a terminal can have;
 * undefined if malformed.
 */
export function parseReplaySize(text: string): { cols: number; rows: number } | undefined {
  const [, cols, rows] = /^(\d{1,9})x(\d{1,9})$/.exec(text) ?? []
  return cols && rows ? replaySize(Number(cols), Number(rows)) : undefined
}

export function replaySize(cols: number, rows: number): { cols: number; rows: number } {
  const within = (value: number, max: number) => Math.min(Math.max(Math.floor(value) || 1, 1), max)
  return { cols: Math.max(2, within(cols, REPLAY_MAX_SIZE.cols)), rows: within(rows, REPLAY_MAX_SIZE.rows) }
}

/** Seconds beyond which a time can't be a session's. */
const MAX_TIME_S = 1e8

/**
 * One event of an asciicast v2 line: output or a new size. Undefined for anything else: other
 * events, damaged lines, the header.
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

/**
 * The part of the emulator's parser that is needed here; the same in the browser and on the server.
 */
interface SequenceParser {
  registerCsiHandler(
    id: { prefix?: string; intermediates?: string; final: string },
    callback: (params: (number | number[])[]) => boolean,
  ): unknown
}

const REPEATING = ['@', 'A', 'b', 'I', 'L', 'M', 'P', 'S', 'T', 'X', 'Z'] as const
const MAX_REPEAT = 4096

/**
 * Ignores control sequences that repeat something absurdly often. The emulator would obey, for
 * minutes or with gigabytes (`ESC [ 2147483647 b`), and a recording contains whatever a machine has
 * sent.
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
