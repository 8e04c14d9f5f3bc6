/** The clipboard's channel (MS-RDPECLIP): text both ways. Files and pictures are neither offered nor asked for. */
import { Cursor, u16, u32 } from './cursor.ts'
import { cut, Pieces } from './pieces.ts'

export const CLIPBOARD_CHANNEL = 'cliprdr'

const MESSAGE = { ready: 1, formats: 2, formatsTaken: 3, wanted: 4, contents: 5, capabilities: 7 } as const
const OK = 1
const FAILED = 2
const UNICODE_TEXT = 13
const LONG_NAMES = 0x2
const SHORT_NAME_BYTES = 32
/** What stands before the text of a message. */
const HEAD_BYTES = 64
/** With more formats than these, something else is wrong. */
const MAX_FORMATS = 512

export interface ClipboardParts {
  /** Sends the pieces of a message on the channel. */
  send(pieces: Iterable<Buffer>): void
  /** The other end takes more; missing where it always does. Who reads nothing is told nothing. */
  hasRoom?(): boolean
  /** The other end's clipboard. */
  copied(text: string): void
  /** Longest text, in bytes of UTF-16; of a longer one nothing is taken. */
  maxBytes: number
}

/** The gateway's end of the channel, whichever side it is. */
export class Clipboard {
  readonly #parts: ClipboardParts
  readonly #pieces: Pieces
  #hasLongNames = false
  #isReady = false
  /** What the other end may fetch. */
  #offered: string | undefined
  /** The message that carries it, once it has been fetched. */
  #contents: Buffer | undefined

  constructor(parts: ClipboardParts) {
    this.#parts = parts
    this.#pieces = new Pieces(parts.maxBytes + HEAD_BYTES)
  }

  /** As the server, which has the first word; the other end answers with what it has. */
  begin(): void {
    this.#tellCapabilities()
    this.#send(MESSAGE.ready, 0)
  }

  /** Fills the other end's clipboard: it is offered, and fetched when somebody pastes. */
  offer(text: string): void {
    this.#offered = text.replace(/\r\n?|\n/g, '\r\n')
    this.#contents = undefined
    if (this.#isReady) this.#tellOffered()
  }

  /** What was offered is not given out any more. */
  withdraw(): void {
    if (this.#offered === undefined) return
    this.#offered = undefined
    this.#contents = undefined
    if (this.#isReady) this.#tellOffered()
  }

  /** Takes a piece of the channel. Throws ProtocolViolation. */
  receive(piece: Buffer): void {
    const message = this.#pieces.add(piece)
    if (message) this.#message(new Cursor(message))
  }

  #message(read: Cursor): void {
    const type = read.u16()
    const flags = read.u16()
    const contents = new Cursor(read.take(read.u32()))
    switch (type) {
      case MESSAGE.capabilities:
        contents.skip(4)
        if (contents.u16() !== 1) return
        contents.skip(6)
        this.#hasLongNames = (contents.u32() & LONG_NAMES) !== 0
        return
      case MESSAGE.ready:
        this.#tellCapabilities()
        this.#isReady = true
        this.#tellOffered()
        return
      case MESSAGE.formats:
        this.#isReady = true
        this.#send(MESSAGE.formatsTaken, OK)
        if (this.#hasText(contents)) this.#send(MESSAGE.wanted, 0, u32(UNICODE_TEXT))
        return
      case MESSAGE.wanted:
        this.#answer(contents.u32())
        return
      case MESSAGE.contents:
        if (flags & OK) this.#parts.copied(textOf(contents.rest()))
    }
  }

  #hasText(read: Cursor): boolean {
    for (let n = 0; n < MAX_FORMATS && read.left >= 6; n++) {
      if (read.u32() === UNICODE_TEXT) return true
      if (!this.#hasLongNames) read.skip(SHORT_NAME_BYTES)
      else while (read.u16() !== 0);
    }
    return false
  }

  #tellCapabilities(): void {
    this.#send(MESSAGE.capabilities, 0, u16(1, 0), u16(1, 12), u32(2, LONG_NAMES))
  }

  #answer(format: number): void {
    if (format !== UNICODE_TEXT || this.#offered === undefined) this.#send(MESSAGE.contents, FAILED)
    else if (this.#hasRoom) {
      this.#contents ??= encoded(MESSAGE.contents, OK, Buffer.from(`${this.#offered}\0`, 'utf16le'))
      this.#parts.send(cut(this.#contents))
    }
  }

  get #hasRoom(): boolean {
    return this.#parts.hasRoom?.() ?? true
  }

  #tellOffered(): void {
    const name = this.#hasLongNames ? u16(0) : Buffer.alloc(SHORT_NAME_BYTES)
    this.#send(MESSAGE.formats, 0, ...(this.#offered === undefined ? [] : [u32(UNICODE_TEXT), name]))
  }

  #send(type: number, flags: number, ...parts: Buffer[]): void {
    if (this.#hasRoom) this.#parts.send(cut(encoded(type, flags, ...parts)))
  }
}

function encoded(type: number, flags: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([u16(type, flags), u32(body.length), body])
}

/** Up to its end, with line ends as everybody else has them. */
function textOf(bytes: Buffer): string {
  const text = bytes.subarray(0, bytes.length & ~1).toString('utf16le')
  const end = text.indexOf('\0')
  return (end < 0 ? text : text.slice(0, end)).replace(/\r\n/g, '\n')
}
