import type { FileHandle } from 'node:fs/promises'
import { type Instruction, readInstruction } from '@sallyport/contract/guacamole/instructions.ts'
import { Unreadable } from '../key-frames.ts'
import { gzipOf, type PackedFile } from '../packed-file.ts'
import { INDEX_VERSION, type StoredIndex, type StoredPart } from '../stored-index.ts'
import { PictureState } from './picture-state.ts'
import { UnreadBytes } from './unread-bytes.ts'

/** A piece is not worth it below. */
const PIECE_BYTES = 512 * 1024
/** It ends here even where its last picture is not known. */
const MAX_PIECE_BYTES = 12 * 1024 * 1024
/** After so many pieces that follow one another there is a picture again, even without what was lost. */
const MAX_FOLLOWING = 8
/** Beyond this a time is no session's. */
const MAX_MS = 1e11
/** Later than 2001: a clock that counts from 1970. */
const EPOCH_MS = 1e12
const MAX_SIDE = 16_384

/**
 * Cuts a recording of guacd into pieces while it is packed. Its text stays byte for byte what it
 * was. Beside it are, for the beginning of each piece, the instructions that make its picture.
 * `times` are those of `sync`, from the first one on.
 */
export class GuacamolePieces {
  readonly #packed: PackedFile
  readonly #screens: FileHandle
  readonly #maxBytes: number
  readonly #state = new PictureState()
  readonly #parts: StoredPart[] = []
  #text: Buffer[] = []
  #bytes = 0
  /** At so many bytes it is looked whether the piece ends. */
  #nextLook = PIECE_BYTES
  /** Bytes of an instruction whose end is not there yet. */
  readonly #rest = new UnreadBytes()
  #isBroken = false
  /** Pieces since the last one that has a picture. */
  #following = 0
  #count = 0
  #first: number | undefined
  #time = 0
  #largest = { cols: 0, rows: 0 }
  #screensBytes = 0
  #begin: Omit<StoredPart, 'bytes' | 'crc32' | 'at' | 'length'> | undefined

  constructor(packed: PackedFile, screens: FileHandle, maxBytes = Number.POSITIVE_INFINITY) {
    this.#packed = packed
    this.#screens = screens
    this.#maxBytes = maxBytes
  }

  /** Takes the bytes that follow. Throws Unreadable for too much, or what is no recording. */
  async add(chunk: Buffer): Promise<void> {
    if (this.#packed.bytes + this.#bytes + this.#rest.length + chunk.length > this.#maxBytes)
      throw new Unreadable('the recording is too large')
    if (this.#isBroken) return this.#addDamaged(chunk)
    if (this.#rest.add(chunk)) await this.#read()
  }

  async #read(): Promise<void> {
    const bytes = this.#rest.take()
    let at = 0
    while (at < bytes.length) {
      const next = readInstruction(bytes, at)
      if (next === 'broken') {
        if (this.#count === 0) throw new Unreadable('the recording is none of Guacamole')
        this.#isBroken = true
        return this.#addDamaged(bytes.subarray(at))
      }
      if (next === 'more') break
      await this.#take(next, bytes.subarray(at, next.to))
      at = next.to
    }
    this.#rest.putBack(bytes.subarray(at))
  }

  /** Ends the packed file. Throws Unreadable where there was no picture, or no time. */
  async end(): Promise<StoredIndex> {
    await this.#read()
    if (this.#count === 0 || this.#first === undefined) throw new Unreadable('the recording is empty')
    // Cut off in the middle of an instruction: it stays, and is not played.
    if (this.#rest.length) {
      await this.#beginPiece()
      this.#keep(this.#rest.take())
    }
    await this.#endPiece()
    const sums = await this.#packed.end()
    const { bytes, packedBytes } = this.#packed
    return {
      version: INDEX_VERSION,
      start: this.#first > EPOCH_MS ? this.#first / 1000 : null,
      duration: this.#time,
      ...this.#largest,
      bytes,
      packedBytes,
      ...sums,
      origin: this.#first,
      parts: this.#parts,
    }
  }

  async #take(one: Instruction, bytes: Buffer): Promise<void> {
    this.#count++
    await this.#beginPiece()
    this.#keep(bytes)
    this.#state.add(one, bytes)
    this.#resize()
    if (one.opcode === 'sync') this.#clock(Number(one.text(0)))
    const isFrame = one.opcode === 'sync' && this.#state.isKnown
    if ((isFrame && this.#isWorth()) || this.#bytes >= MAX_PIECE_BYTES) await this.#endPiece()
  }

  /** A picture may be as large as the piece before it, so that all of them are no more than the recording. */
  #isWorth(): boolean {
    if (this.#bytes < this.#nextLook) return false
    this.#nextLook = this.#bytes * 1.5
    return this.#bytes >= this.#state.neededBytes()
  }

  #resize(): void {
    const [cols, rows] = [this.#state.width, this.#state.height].map((side) =>
      Math.min(Math.max(side, 0), MAX_SIDE),
    ) as [number, number]
    this.#largest = { cols: Math.max(this.#largest.cols, cols), rows: Math.max(this.#largest.rows, rows) }
    // The first piece has the first size, as late as it may come.
    if (this.#begin && !this.#begin.cols) Object.assign(this.#begin, { cols, rows })
  }

  #clock(milliseconds: number): void {
    if (!Number.isFinite(milliseconds) || milliseconds < 0) return
    this.#first ??= milliseconds
    const since = milliseconds - this.#first
    if (since < MAX_MS) this.#time = Math.max(this.#time, since / 1000)
  }

  async #addDamaged(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; at += MAX_PIECE_BYTES) {
      await this.#beginPiece()
      this.#keep(bytes.subarray(at, at + MAX_PIECE_BYTES))
      if (this.#bytes >= MAX_PIECE_BYTES) await this.#endPiece()
    }
  }

  #keep(bytes: Buffer): void {
    this.#text.push(Buffer.from(bytes))
    this.#bytes += bytes.length
  }

  async #beginPiece(): Promise<void> {
    if (this.#begin) return
    const isKnown =
      this.#parts.length === 0 || this.#following >= MAX_FOLLOWING || (this.#state.isKnown && !this.#isBroken)
    this.#following = isKnown ? 0 : this.#following + 1
    const screen = gzipOf(isKnown && this.#parts.length ? this.#state.text() : '')
    await this.#screens.writeFile(screen)
    this.#begin = {
      time: this.#time,
      cols: Math.min(this.#state.width, MAX_SIDE),
      rows: Math.min(this.#state.height, MAX_SIDE),
      screenAt: this.#screensBytes,
      screenLength: screen.length,
      ...(isKnown ? {} : { follows: true as const }),
    }
    this.#screensBytes += screen.length
  }

  async #endPiece(): Promise<void> {
    const begin = this.#begin
    if (!begin) return
    this.#parts.push({ ...begin, ...(await this.#packed.piece(Buffer.concat(this.#text))) })
    this.#text = []
    this.#bytes = 0
    this.#nextLook = PIECE_BYTES
    this.#begin = undefined
  }
}
