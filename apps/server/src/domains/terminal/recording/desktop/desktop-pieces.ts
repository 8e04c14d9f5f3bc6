import type { FileHandle } from 'node:fs/promises'
import type { ReplayMark } from '@sallyport/contract/replay.ts'
import { Unreadable } from '../key-frames.ts'
import { gzipOf, type PackedFile } from '../packed-file.ts'
import { INDEX_VERSION, type StoredIndex, type StoredPart } from '../stored-index.ts'

/** Whole pictures of a desktop at which nothing moves are not worth a piece each. */
const WORTHWHILE_BYTES = 64 * 1024
/** Marks of one recording in its index, keys apart from all others; those behind are in the recording alone. */
const MAX_MARKS = 2000

type Size = { cols: number; rows: number }
type Event = [time: number, code: string, data: unknown]

/**
 * Cuts the recording of a desktop into pieces while it is packed, each from a whole picture on: where
 * one begins and is complete. Keeps one piece in memory.
 */
export class DesktopPieces {
  readonly #packed: PackedFile
  readonly #screens: FileHandle
  readonly #maxBytes: number
  readonly #parts: StoredPart[] = []
  readonly #marks: ReplayMark[] = []
  #keyMarks = 0
  #start: number | null | undefined
  #lines: Buffer[] = []
  #bytes = 0
  #begin: Size & { time: number } = { time: 0, cols: 0, rows: 0 }
  /** Where in the piece a whole picture has begun that is not complete yet. */
  #key: (Size & { line: number; bytes: number }) | undefined
  #largest: Size = { cols: 0, rows: 0 }
  #time = 0
  #screen = { screenAt: 0, screenLength: 0 }

  constructor(packed: PackedFile, screens: FileHandle, maxBytes = Number.POSITIVE_INFINITY) {
    this.#packed = packed
    this.#screens = screens
    this.#maxBytes = maxBytes
  }

  /** Takes the next line with its line feed. Throws Unreadable where there is no header, or too much. */
  async add(line: Buffer): Promise<void> {
    if (this.#start === undefined) await this.#open(line)
    const code = this.#start === undefined ? '' : this.#note(line)
    this.#lines.push(line)
    this.#bytes += line.length
    if (code === 'w') await this.#cut()
    if (this.#packed.bytes + this.#bytes > this.#maxBytes) throw new Unreadable('the recording is too large')
  }

  /** Ends the packed file. Throws Unreadable when nothing was added. */
  async end(): Promise<StoredIndex> {
    if (this.#start === undefined) throw new Unreadable('the recording is empty')
    await this.#endPiece(this.#lines)
    const sums = await this.#packed.end()
    const { bytes, packedBytes } = this.#packed
    return {
      version: INDEX_VERSION,
      start: this.#start,
      duration: this.#time,
      ...this.#largest,
      bytes,
      packedBytes,
      ...sums,
      parts: this.#parts,
      marks: this.#marks,
    }
  }

  async #open(line: Buffer): Promise<void> {
    const header = parsed(line) as { kind?: unknown; timestamp?: unknown } | undefined
    if (header?.kind !== 'desktop') throw new Unreadable('the recording is no desktop’s')
    this.#start = typeof header.timestamp === 'number' ? header.timestamp : null
    // Every piece begins with a whole picture: there is nothing to show before it.
    const nothing = gzipOf('')
    await this.#screens.writeFile(nothing)
    this.#screen = { screenAt: 0, screenLength: nothing.length }
  }

  /** Answers what kind of line it is. */
  #note(line: Buffer): string {
    // The pictures, which are nearly all of it, need not be parsed.
    const isPicture = line.subarray(0, 32).includes('"o"')
    const event = isPicture ? undefined : parsed(line)
    const time = isPicture ? Number(line.subarray(1, line.indexOf(0x2c)).toString()) : Number((event as Event)?.[0])
    if (Number.isFinite(time)) this.#time = Math.max(this.#time, time)
    if (!Array.isArray(event)) return ''
    const [, code, data] = event as Event
    if (code === 'k') this.#keyBegins(String(data))
    if (code === 'm') this.#mark({ ...(data as object), time: this.#time } as ReplayMark)
    return String(code)
  }

  #mark(mark: ReplayMark): void {
    const isKeys = mark.kind === 'keys'
    const there = isKeys ? this.#keyMarks : this.#marks.length - this.#keyMarks
    if (there >= MAX_MARKS) return
    if (isKeys) this.#keyMarks++
    this.#marks.push(mark)
  }

  #keyBegins(size: string): void {
    const [cols = 0, rows = 0] = size.split('x').map(Number)
    this.#key = { cols, rows, line: this.#lines.length, bytes: this.#bytes }
    this.#largest = { cols: Math.max(this.#largest.cols, cols), rows: Math.max(this.#largest.rows, rows) }
  }

  /** A whole picture is complete: a new piece may begin with it. */
  async #cut(): Promise<void> {
    const key = this.#key
    this.#key = undefined
    if (!key) return
    const { cols, rows } = key
    // The first piece has its first picture, as late as it may come.
    if (!this.#begin.cols) this.#begin = { time: 0, cols, rows }
    else if (key.bytes >= WORTHWHILE_BYTES) {
      await this.#endPiece(this.#lines.slice(0, key.line))
      this.#lines = this.#lines.slice(key.line)
      this.#bytes -= key.bytes
      this.#begin = { time: this.#time, cols, rows }
    }
  }

  async #endPiece(lines: Buffer[]): Promise<void> {
    this.#parts.push({ ...this.#begin, ...this.#screen, ...(await this.#packed.piece(Buffer.concat(lines))) })
  }
}

function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString())
  } catch {
    return undefined
  }
}
