/** Of an output, so many bytes are kept where nothing else is said. */
const KEPT_BYTES = 64 * 1024
/** A program that writes more than this is ended. */
const FLOOD_BYTES = 16 * 1024 * 1024

/** The beginning of what a program on another machine writes: it must not fill our memory. */
export class KeptOutput {
  readonly #pieces: Buffer[] = []
  readonly #room: number
  #kept = 0
  #length = 0

  constructor(room = KEPT_BYTES) {
    this.#room = room
  }

  take(bytes: Buffer): void {
    this.#length += bytes.length
    if (this.#kept >= this.#room) return
    const piece = bytes.subarray(0, this.#room - this.#kept)
    this.#pieces.push(piece)
    this.#kept += piece.length
  }

  get isCut(): boolean {
    return this.#length > this.#kept
  }

  get isFlood(): boolean {
    return this.#length > FLOOD_BYTES
  }

  /** In a charset of the target's platform; what the database can't hold is left out. */
  text(charset = 'utf-8'): string {
    const bytes = Buffer.concat(this.#pieces)
    return new TextDecoder(charset === 'gbk' ? 'gbk' : 'utf-8').decode(bytes).replaceAll('\0', '').toWellFormed()
  }
}
