import type { FileHandle } from 'node:fs/promises'
import { parseReplayEvent, parseReplaySize, replaySize } from '@sallyport/contract/replay.ts'
import { Emulator } from './emulator.ts'
import { gzipOf, type PackedFile } from './packed-file.ts'
import { INDEX_VERSION, type StoredIndex, type StoredPart } from './stored-index.ts'

/** A piece ends after so much text … */
const PIECE_BYTES = 512 * 1024
/**
 * … or after so long, if there is enough in it to be worth a piece: less can be played from its
 * beginning.
 */
const PIECE_SECONDS = 30
const WORTHWHILE_BYTES = 64 * 1024
/** An unfinished control sequence delays the end of a piece no further than this. */
const PIECE_LIMIT_BYTES = 2 * PIECE_BYTES

/** The recording can't be played in pieces. */
export class Unreadable extends Error {}

interface Header {
  /** Unix seconds. */
  start: number | null
  emulator: Emulator
}

type Begin = Pick<StoredPart, 'time' | 'cols' | 'rows' | 'screenAt' | 'screenLength'>

/**
 * Cuts a recording into pieces while it is packed, and stores the screen at each cut. Keeps one
 * piece and one screen in memory.
 */
export class KeyFrames {
  readonly #packed: PackedFile
  readonly #screens: FileHandle
  readonly #maxBytes: number
  readonly #parts: StoredPart[] = []
  #screensBytes = 0
  #header: Header | undefined
  #largest = { cols: 0, rows: 0 }
  #begin: Begin | undefined
  #lines: Buffer[] = []
  #bytes = 0
  /** Output of the piece that the emulator has not processed yet. */
  #text: string[] = []
  #time = 0

  constructor(packed: PackedFile, screens: FileHandle, maxBytes = Number.POSITIVE_INFINITY) {
    this.#packed = packed
    this.#screens = screens
    this.#maxBytes = maxBytes
  }

  /**
   * Takes the next line with its line feed. Throws Unreadable when the first line is not a header,
   * or there are too many.
   */
  async add(line: Buffer): Promise<void> {
    if (!this.#header) await this.#open(line)
    else await this.#event(line)
    this.#lines.push(line)
    this.#bytes += line.length
    if (this.#packed.bytes + this.#bytes > this.#maxBytes) throw new Unreadable('the recording is too large')
  }

  /** Ends the packed file. Throws Unreadable when nothing was added. */
  async end(): Promise<StoredIndex> {
    if (!this.#header) throw new Unreadable('the recording is empty')
    const { start, emulator } = this.#header
    await this.#endPiece()
    emulator.dispose()
    const sums = await this.#packed.end()
    const { bytes, packedBytes } = this.#packed
    return {
      version: INDEX_VERSION,
      start,
      duration: this.#time,
      ...this.#largest,
      bytes,
      packedBytes,
      ...sums,
      parts: this.#parts,
    }
  }

  async #open(line: Buffer): Promise<void> {
    const header = readHeader(line)
    this.#largest = header.size
    this.#header = { start: header.start, emulator: new Emulator(header.size) }
    await this.#beginPiece(0)
  }

  async #event(line: Buffer): Promise<void> {
    const event = parseReplayEvent(line.toString())
    const emulator = this.#header?.emulator
    if (!event || !emulator) return
    const time = Math.max(this.#time, event.time)
    const isDue =
      this.#bytes >= PIECE_BYTES ||
      (this.#bytes >= WORTHWHILE_BYTES && time - (this.#begin?.time ?? 0) >= PIECE_SECONDS)
    if (isDue && (!emulator.insideSequence || this.#bytes >= PIECE_LIMIT_BYTES)) {
      await this.#endPiece()
      await this.#beginPiece(time)
    }
    this.#time = time
    if (event.code === 'o') {
      this.#text.push(event.data)
      emulator.expect(event.data)
      return
    }
    const size = parseReplaySize(event.data)
    if (!size) return
    await this.#emulate()
    emulator.resize(size)
    this.#largest = { cols: Math.max(this.#largest.cols, size.cols), rows: Math.max(this.#largest.rows, size.rows) }
  }

  async #beginPiece(time: number): Promise<void> {
    const { emulator } = this.#header as Header
    const screen = gzipOf(emulator.snapshot())
    this.#begin = { time, ...emulator.size, screenAt: this.#screensBytes, screenLength: screen.length }
    await this.#screens.writeFile(screen)
    this.#screensBytes += screen.length
  }

  async #endPiece(): Promise<void> {
    await this.#emulate()
    this.#parts.push({ ...(this.#begin as Begin), ...(await this.#packed.piece(Buffer.concat(this.#lines))) })
    this.#lines = []
    this.#bytes = 0
  }

  async #emulate(): Promise<void> {
    if (this.#text.length) await this.#header?.emulator.write(this.#text.join(''))
    this.#text = []
  }
}

function readHeader(line: Buffer): { start: number | null; size: { cols: number; rows: number } } {
  let header: { version?: unknown; width?: unknown; height?: unknown; timestamp?: unknown } | null
  try {
    header = JSON.parse(line.toString())
  } catch {
    throw new Unreadable('the recording has no header')
  }
  if (header?.version !== 2 || typeof header.width !== 'number' || typeof header.height !== 'number')
    throw new Unreadable('the recording is no asciicast v2')
  return {
    start: typeof header.timestamp === 'number' ? header.timestamp : null,
    size: replaySize(header.width, header.height),
  }
}
