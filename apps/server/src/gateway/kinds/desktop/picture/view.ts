import { type Area, type Picture, TILE } from './picture.ts'
import { encodeArea } from './tight.ts'

/** Appends an area, at most `TILE` high and from a tile's edge on, as rectangles of an update. */
export type Encoder = (picture: Picture, area: Area, into: Buffer[]) => void

/** Encoded at once: more would hold other sessions up. */
const PIXELS_AT_ONCE = 256 * 1024
/** Longest row of an area (TightVNC's own servers keep to it, and some clients need it). */
const MAX_WIDTH = 2048
const TILES_A_RUN = MAX_WIDTH / TILE

/**
 * The part of a picture that somebody has not seen yet. It remembers where something changed, not
 * what: a slow viewer gets the current picture, and costs no memory.
 */
export class View {
  readonly #picture: Picture
  #columns = 0
  #dirty = new Uint8Array(0)
  #left = 0
  #next = 0
  #isResized = true
  #isRound = false

  constructor(picture: Picture) {
    this.#picture = picture
    this.resized()
  }

  /** There is something to take. */
  get isDue(): boolean {
    return this.#left > 0 || this.#isResized
  }

  /** Since `everything`, all of it has been taken once. */
  get isComplete(): boolean {
    return this.#left === 0 || this.#isRound
  }

  /** See `Picture.resize`. */
  resized(): void {
    this.#isResized = true
    this.#columns = Math.ceil(this.#picture.width / TILE)
    this.#dirty = new Uint8Array(this.#columns * Math.ceil(this.#picture.height / TILE))
    this.everything()
  }

  /** All of it is to be taken again. */
  everything(): void {
    this.#dirty.fill(1)
    this.#left = this.#dirty.length
    this.#next = 0
    this.#isRound = false
  }

  /** See `Picture.touch`. */
  touched({ x, y, width, height }: Area): void {
    if (!width || !height) return
    const lastColumn = Math.floor((x + width - 1) / TILE)
    const lastRow = Math.floor((y + height - 1) / TILE)
    for (let row = Math.floor(y / TILE); row <= lastRow; row++)
      for (let column = Math.floor(x / TILE); column <= lastColumn; column++) {
        const tile = row * this.#columns + column
        if (this.#dirty[tile]) continue
        this.#dirty[tile] = 1
        this.#left++
      }
  }

  /** The size, where it is another since it was taken last; it goes before what `take` answers. */
  takeSize(): { width: number; height: number } | undefined {
    if (!this.#isResized) return undefined
    this.#isResized = false
    return { width: this.#picture.width, height: this.#picture.height }
  }

  /**
   * Some of what changed, as rectangles of an update (RFC 6143 §7.6.1); unless said otherwise, they
   * need nothing of those before. Undefined when nothing is left.
   */
  take(encode: Encoder = encodeArea): { count: number; bytes: Buffer } | undefined {
    const parts: Buffer[] = []
    let pixels = 0
    while (this.#left && pixels < PIXELS_AT_ONCE) {
      const run = this.#nextRun()
      pixels += run.width * run.height
      encode(this.#picture, run, parts)
    }
    return parts.length ? { count: parts.length, bytes: Buffer.concat(parts) } : undefined
  }

  /** The next changed tiles that lie side by side, which count as taken. */
  #nextRun(): Area {
    while (!this.#dirty[this.#next]) {
      this.#next = (this.#next + 1) % this.#dirty.length
      if (this.#next === 0) this.#isRound = true
    }
    const row = Math.floor(this.#next / this.#columns)
    const column = this.#next % this.#columns
    let end = column
    while (end < this.#columns && end - column < TILES_A_RUN && this.#dirty[row * this.#columns + end]) {
      this.#dirty[row * this.#columns + end] = 0
      this.#left--
      end++
    }
    const { width, height } = this.#picture
    const [x, y] = [column * TILE, row * TILE]
    return { x, y, width: Math.min(end * TILE, width) - x, height: Math.min(TILE, height - y) }
  }
}
