/** Bytes of an output that are kept by default. */
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

  /** Answers what of it is kept. */
  take(bytes: Buffer): Buffer {
    this.#length += bytes.length
    const piece = bytes.subarray(0, this.#room - this.#kept)
    if (piece.length) this.#pieces.push(piece)
    this.#kept += piece.length
    return piece
  }

  get isCut(): boolean {
    return this.#length > this.#kept
  }

  get isFlood(): boolean {
    return this.#length > FLOOD_BYTES
  }

  /** In a charset of the target's platform; what the database can't hold is left out. */
  text(charset = 'utf-8'): string {
    return storable(decoderOf(charset).decode(Buffer.concat(this.#pieces)))
  }
}

/** Reads pieces of an output as they come, in the same way; half a character waits for its other half. */
export function pieceReader(charset = 'utf-8'): (bytes: Buffer) => string {
  const decoder = decoderOf(charset)
  return (bytes) => storable(decoder.decode(bytes, { stream: true }))
}

const decoderOf = (charset: string) => new TextDecoder(charset === 'gbk' ? 'gbk' : 'utf-8')
const storable = (text: string) => text.replaceAll('\0', '').toWellFormed()
