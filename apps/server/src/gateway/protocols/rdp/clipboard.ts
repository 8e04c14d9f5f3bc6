/**
 * The clipboard's channel (MS-RDPECLIP): text both ways, and files where somebody takes them from the
 * other end or gives it some. Pictures are neither offered nor asked for.
 */
import type { CopiedFiles } from '../../kinds/desktop/files/copied-files.ts'
import { FILES_FORMAT, FileQuestions, readDescriptors } from './clipboard-files.ts'
import { ClipboardOffer } from './clipboard-offer.ts'
import { Cursor, u16, u32 } from './cursor.ts'
import { cut, Pieces } from './pieces.ts'

export const CLIPBOARD_CHANNEL = 'cliprdr'

const MESSAGE = {
  ...{ ready: 1, formats: 2, formatsTaken: 3, wanted: 4, contents: 5, capabilities: 7 },
  ...{ fileWanted: 8, fileContents: 9 },
} as const
const OK = 1
const FAILED = 2
const UNICODE_TEXT = 13
/**
 * Formats of this end with a name and no number of their own: the list of files, and their
 * contents.
 */
const [LIST_OF_FILES, CONTENT_OF_FILES] = [0xc0de, 0xc0df]
const LONG_NAMES = 0x2
/** Files go in pieces, are called without where they lie, and may be longer than 4 GB. */
const FILES = 0x4 | 0x8 | 0x20
const SHORT_NAME_BYTES = 32
/** Limit of the bytes before the text of a message. */
const HEAD_BYTES = 64
/** With more formats than these, something else is wrong. */
const MAX_FORMATS = 512
/** Limit of a name: those that are looked for are shorter. */
const MAX_NAME = 64
/** An end that has left more than these unanswered answers no more of them. */
const MAX_ASKED = 4

export interface ClipboardParts {
  /** Sends the pieces of a message on the channel. */
  send(pieces: Iterable<Buffer>): void
  /**
   * The other end takes more; missing where it always does. An end that reads nothing gets nothing.
   */
  hasRoom?(): boolean
  /** Settles when the other end has taken enough of the files that it was sent; undefined when it has. */
  room?(): Promise<void> | undefined
  /** The other end knows of what was offered last. */
  known?(): void
  /** It has fetched that text. */
  fetched?(): void
  /** Something else is on the other end's clipboard; where it is a text that comes, `copied` says it. */
  replaced?(isExpected: boolean): void
  /** The other end's clipboard. */
  copied(text: string): void
  /** Files on it; undefined once something else is there. Missing where nobody takes any. */
  copiedFiles?(files: CopiedFiles | undefined): void
  /** It has something that does not go this way, and nothing that does. */
  copiedOther?(): void
  /** Longest text, in bytes of UTF-16; of a longer one nothing is taken. */
  maxBytes: number
  /** As the other end has lines ended; as the protocol says, unless given: servers on Unix hand text on as it came. */
  lineEnd?: '\n' | undefined
}

/** The gateway's end of the channel, whichever side it is. */
export class Clipboard {
  readonly #parts: ClipboardParts
  readonly #pieces: Pieces
  readonly #files = new FileQuestions((body) => this.#send(MESSAGE.fileWanted, 0, body))
  /** Requests to the other end without an answer yet, in order. */
  readonly #asked: ('text' | 'files')[] = []
  #hasLongNames = false
  #isReady = false
  readonly #offer = new ClipboardOffer({
    answer: (isGiven, body) => this.#send(MESSAGE.fileContents, isGiven ? OK : FAILED, body),
    room: () => this.#parts.room?.(),
  })
  /** The text that the other end may fetch. */
  #offered: string | undefined
  /** The message that carries it, once it has been fetched. */
  #contents: Buffer | undefined

  constructor(parts: ClipboardParts) {
    this.#parts = parts
    this.#pieces = new Pieces(parts.maxBytes + HEAD_BYTES)
  }

  /** As the server, which has the first word; the other end answers with what it has. */
  begin(): void {
    this.#sendCapabilities()
    this.#send(MESSAGE.ready, 0)
  }

  /** Whether the other end has one. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** Fills the other end's clipboard: it is offered, and fetched when somebody pastes. */
  offer(text: string): void {
    this.#replace(text.replace(/\r\n?|\n/g, this.#parts.lineEnd ?? '\r\n'), undefined)
  }

  /** As `offer`, of files: where the other end knows formats by their names. */
  offerFiles(files: CopiedFiles): void {
    this.#replace(undefined, files)
  }

  /** The offered text is not given out any more. */
  withdraw(): void {
    if (this.#offered !== undefined || this.#offer.isThere) this.#replace(undefined, undefined)
  }

  #replace(text: string | undefined, files: CopiedFiles | undefined): void {
    this.#offered = text
    this.#offer.put(files)
    this.#contents = undefined
    if (this.#isReady) this.#announceOffer()
  }

  /** Nothing is asked any more. */
  close(): void {
    this.#files.gone()
    this.#offer.put(undefined)
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
        this.#sendCapabilities()
        this.#isReady = true
        this.#announceOffer()
        return
      case MESSAGE.formats:
        this.#isReady = true
        this.#send(MESSAGE.formatsTaken, OK)
        this.#otherCopied(contents)
        return
      case MESSAGE.formatsTaken:
        // One that has failed has what stood there before.
        if (flags & OK) this.#parts.known?.()
        return
      case MESSAGE.wanted:
        this.#answer(contents.u32())
        return
      case MESSAGE.contents:
        this.#contentsOf(this.#asked.shift(), (flags & OK) !== 0, contents)
        return
      case MESSAGE.fileWanted:
        this.#offer.asked(contents)
        return
      case MESSAGE.fileContents:
        this.#files.answered((flags & OK) !== 0, contents)
    }
  }

  /** Something new is on the other end's clipboard: what goes this way is asked for. */
  #otherCopied(contents: Cursor): void {
    const { copiedFiles, copiedOther } = this.#parts
    const { count, hasText, files } = this.#formats(contents)
    this.#files.gone()
    this.#parts.replaced?.(hasText)
    copiedFiles?.(undefined)
    if (hasText) this.#want('text', UNICODE_TEXT)
    if (files !== undefined && copiedFiles) this.#want('files', files)
    else if (count && !hasText) copiedOther?.()
  }

  #want(what: 'text' | 'files', format: number): void {
    if (this.#asked.length >= MAX_ASKED) this.#asked.shift()
    this.#asked.push(what)
    this.#send(MESSAGE.wanted, 0, u32(format))
  }

  #contentsOf(asked: 'text' | 'files' | undefined, isGiven: boolean, contents: Cursor): void {
    if (!isGiven) {
      if (asked === 'text') this.#parts.replaced?.(false)
      return
    }
    if (asked === 'text') this.#parts.copied(textOf(contents.rest()))
    if (asked !== 'files') return
    const files = readDescriptors(contents)
    if (files.length) this.#parts.copiedFiles?.(this.#files.copied(files))
  }

  #formats(read: Cursor): { count: number; hasText: boolean; files: number | undefined } {
    const found = { count: 0, hasText: false, files: undefined as number | undefined }
    for (; found.count < MAX_FORMATS && read.left >= 6; found.count++) {
      const format = read.u32()
      const name = this.#nameOf(read)
      if (format === UNICODE_TEXT) found.hasText = true
      if (name === FILES_FORMAT) found.files = format
    }
    return found
  }

  /** Nothing is known of a short one: half of it is missing. */
  #nameOf(read: Cursor): string {
    if (!this.#hasLongNames) {
      read.skip(SHORT_NAME_BYTES)
      return ''
    }
    let name = ''
    for (let unit = read.u16(); unit !== 0; unit = read.u16())
      if (name.length < MAX_NAME) name += String.fromCharCode(unit)
    return name
  }

  #sendCapabilities(): void {
    const ways = LONG_NAMES | (this.#parts.copiedFiles ? FILES : 0)
    this.#send(MESSAGE.capabilities, 0, u16(1, 0), u16(1, 12), u32(2, ways))
  }

  #answer(format: number): void {
    if (format === LIST_OF_FILES && this.#offer.isThere) this.#send(MESSAGE.contents, OK, this.#offer.descriptors())
    else if (format !== UNICODE_TEXT || this.#offered === undefined) this.#send(MESSAGE.contents, FAILED)
    else if (this.#hasRoom) {
      this.#contents ??= encoded(MESSAGE.contents, OK, Buffer.from(`${this.#offered}\0`, 'utf16le'))
      this.#parts.send(cut(this.#contents))
      this.#parts.fetched?.()
    }
  }

  get #hasRoom(): boolean {
    return this.#parts.hasRoom?.() ?? true
  }

  #announceOffer(): void {
    const name = this.#hasLongNames ? u16(0) : Buffer.alloc(SHORT_NAME_BYTES)
    const text = this.#offered === undefined ? [] : [u32(UNICODE_TEXT), name]
    this.#send(MESSAGE.formats, 0, ...(this.#offer.isThere && this.#hasLongNames ? FORMATS_OF_FILES : text))
  }

  #send(type: number, flags: number, ...parts: Buffer[]): void {
    if (this.#hasRoom) this.#parts.send(cut(encoded(type, flags, ...parts)))
  }
}

const named = (format: number, name: string) => [u32(format), Buffer.from(`${name}\0`, 'utf16le')]
const FORMATS_OF_FILES = [...named(LIST_OF_FILES, FILES_FORMAT), ...named(CONTENT_OF_FILES, 'FileContents')]

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
