import type { Picture } from '../../../kinds/desktop/picture/picture.ts'
import { View } from '../../../kinds/desktop/picture/view.ts'
import { ProtocolViolation } from '../../protocol-violation.ts'
import type { ViewerInput } from '../../rfb/viewer.ts'
import { StepReader } from '../../steps.ts'
import { Clipboard } from '../clipboard.ts'
import { Cursor, u16 } from '../cursor.ts'
import { mcsOf, readMessages } from '../framing.ts'
import { CONTROL, DATA, readShareData, shareMessages } from '../share.ts'
import { encodeBitmaps, type PixelDepth } from './bitmap-encoder.ts'
import { farewell, indication, readChannelMessage } from './channels.ts'
import { readFastInput, readSlowInput } from './client-input.ts'
import { SCREEN_CHANNEL } from './entrance.ts'
import { InputTranslator } from './input-translator.ts'
import { deactivateAll, demandActive, errorInfo, readConfirm, takenUp } from './shares.ts'

/** Between two updates: eyes see no more. */
const FRAME_MS = 25
/** Bytes of bitmaps in one message, which stays below the 16,383 that every client takes. */
const MESSAGE_BYTES = 14_000
const [BITMAPS, NO_POINTER] = [1, 5]
const UPDATE_OF_BITMAPS = 1
/**
 * Messages of clients beside the screen: a part is wanted again, nobody looks, the client wants to
 * leave.
 */
const [REFRESH, SUPPRESS, SHUTDOWN, INPUT] = [DATA.refresh, 35, 36, 28]
/** Longest clipboard, in bytes of UTF-16. */
const MAX_CLIPBOARD = 2 * 1024 * 1024

export interface RdpClientParts {
  picture: Picture
  bitsPerPixel: PixelDepth['bitsPerPixel']
  /** Channel of its clipboard; undefined where it has none. */
  clipboardChannel: number | undefined
  knowsReasons: boolean
  input: Pick<ViewerInput, 'key' | 'pointer'>
  /** Its clipboard has something new. */
  pasted(text: string): void
  /** It wants to go. */
  leaves(): void
  write(bytes: Buffer): void
  /** It takes more: what it has been sent is not waiting any more. */
  hasRoom(): boolean
}

/**
 * The server's end of a line to a client of RDP that has signed in. All that it sends is made from
 * the picture, as bitmaps: no orders, no codecs, no channels but the clipboard's.
 */
export class RdpClient {
  readonly #parts: RdpClientParts
  readonly #view: View
  readonly #detach: () => void
  readonly #reader: StepReader
  readonly #translator: InputTranslator
  readonly #clipboard: Clipboard | undefined
  readonly #whenActive = Promise.withResolvers<void>()
  #depth: PixelDepth
  /** Offered, and taken up by the client. */
  #isActive = false
  #hasBegun = false
  #isOver = false
  /** Nobody looks: the window is not to be seen. */
  #isSuppressed = false
  #resting: NodeJS.Timeout | undefined
  #unsentText: string | undefined

  constructor(parts: RdpClientParts) {
    const { picture, bitsPerPixel, clipboardChannel, input, pasted } = parts
    this.#parts = parts
    this.#depth = { bitsPerPixel, skipsAlpha: false }
    this.#view = new View(picture)
    this.#detach = picture.attach(this.#view)
    this.#translator = new InputTranslator(input)
    this.#reader = new StepReader(readMessages((message) => this.#message(message)))
    if (clipboardChannel)
      this.#clipboard = new Clipboard({
        send: (pieces) => {
          for (const piece of pieces) parts.write(indication(clipboardChannel, piece))
        },
        hasRoom: parts.hasRoom,
        copied: pasted,
        maxBytes: MAX_CLIPBOARD,
      })
    this.#view.takeSize()
    this.#say(demandActive(picture, bitsPerPixel))
  }

  /** Settles when the client has taken up the screen for the first time. */
  get active(): Promise<void> {
    return this.#whenActive.promise
  }

  /** Takes what the client sent. Throws ProtocolViolation. */
  receive(bytes: Buffer): void {
    this.#reader.add(bytes)
    this.#reader.read(() => this.#isOver)
  }

  /** The picture changed, or there is room again. */
  changed(): void {
    if (!this.#isActive || this.#isOver || !this.#parts.hasRoom()) return
    if (this.#unsentText !== undefined) this.#clipboard?.offer(this.#unsentText)
    this.#unsentText = undefined
    if (this.#resting || this.#isSuppressed || !this.#view.isDue) return
    if (this.#view.takeSize()) this.#offerAnew()
    else this.#paint()
    this.#resting = setTimeout(() => {
      this.#resting = undefined
      this.changed()
    }, FRAME_MS)
  }

  /** The machine's clipboard; undefined: what was offered before is not to be had any more. */
  copied(text: string | undefined): void {
    this.#unsentText = text
    if (text === undefined) this.#clipboard?.withdraw()
    this.changed()
  }

  /** Sends the client away, with a reason that it shows in its own words. */
  close(reason: number): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#resting)
    this.#detach()
    if (this.#parts.knowsReasons && this.#isActive) this.#say(errorInfo(reason))
    this.#parts.write(farewell())
  }

  #offerAnew(): void {
    this.#isActive = false
    this.#say(deactivateAll())
    this.#say(demandActive(this.#parts.picture, this.#depth.bitsPerPixel))
  }

  #paint(): void {
    const bitmaps: Buffer[] = []
    this.#view.take((picture, area, into) => {
      encodeBitmaps(picture, area, this.#depth, bitmaps)
      into.push(NOTHING)
    })
    for (let n = 0; n < bitmaps.length; ) {
      const first = n
      for (let bytes = 0; n < bitmaps.length; n++) {
        bytes += (bitmaps[n] as Buffer).length
        if (n > first && bytes > MESSAGE_BYTES) break
      }
      this.#fast(BITMAPS, u16(UPDATE_OF_BITMAPS, n - first), ...bitmaps.slice(first, n))
    }
  }

  #fast(code: number, ...parts: Buffer[]): void {
    const body = Buffer.concat(parts)
    const head = Buffer.of(0, 0, 0, code, 0, 0)
    head.writeUInt16BE(0x8000 | (body.length + head.length), 1)
    head.writeUInt16LE(body.length, 4)
    this.#parts.write(Buffer.concat([head, body]))
  }

  #say(message: Buffer): void {
    this.#parts.write(indication(SCREEN_CHANNEL, message))
  }

  #message(message: Buffer): void {
    if (this.#isOver) return
    const mcs = mcsOf(message)
    if (!mcs) {
      if (this.#isActive) readFastInput(new Cursor(message), this.#translator)
      return
    }
    const content = readChannelMessage(mcs)
    if (content.is === 'disconnect') this.#parts.leaves()
    if (content.is !== 'data') return
    if (content.channel === this.#parts.clipboardChannel) this.#clipboard?.receive(content.data)
    else if (content.channel === SCREEN_CHANNEL)
      for (const { type, body } of shareMessages(content.data)) this.#share(type, body)
  }

  #share(type: number, body: Buffer): void {
    if (type === CONTROL.confirmActive) {
      const { hasFastPath, skipsAlpha } = readConfirm(body)
      if (!hasFastPath) throw new ProtocolViolation('a client without the fast path')
      this.#depth = { ...this.#depth, skipsAlpha }
    }
    if (type !== CONTROL.data) return
    const { type: kind, contents } = readShareData(body)
    const read = new Cursor(contents)
    // A client that reads nothing gets no answers.
    if (this.#parts.hasRoom()) for (const answer of takenUp(kind, new Cursor(contents))) this.#say(answer)
    if (kind === DATA.fontList) this.#begin()
    else if (kind === INPUT && this.#isActive) readSlowInput(read, this.#translator)
    else if (kind === REFRESH) this.#again()
    else if (kind === SUPPRESS) {
      this.#isSuppressed = read.u8() === 0
      if (!this.#isSuppressed) this.#again()
    } else if (kind === SHUTDOWN) this.#parts.leaves()
  }

  /** The pointer is in the picture: the client shows none of its own. */
  #begin(): void {
    this.#isActive = true
    if (!this.#hasBegun) this.#clipboard?.begin()
    this.#hasBegun = true
    if (this.#parts.hasRoom()) this.#fast(NO_POINTER)
    this.#whenActive.resolve()
    this.#again()
  }

  #again(): void {
    this.#view.everything()
    this.changed()
  }
}

const NOTHING = Buffer.alloc(0)
