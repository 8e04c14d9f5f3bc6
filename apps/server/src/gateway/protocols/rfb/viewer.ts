import type { Picture } from '../../kinds/desktop/picture/picture.ts'
import { type Encoder, View } from '../../kinds/desktop/picture/view.ts'
import { ProtocolViolation } from '../protocol-violation.ts'
import { StepReader, type Steps, skip } from '../steps.ts'
import { Encoders } from './encoders.ts'
import { ExtendedClipboard } from './extended-clipboard.ts'
import {
  cutText,
  ENCODING,
  FROM_CLIENT,
  FROM_SERVER,
  MAX_CUT_BYTES,
  nameUpdate,
  PIXEL_FORMAT,
  serverInit,
  sizeUpdate,
  updateHead,
} from './messages.ts'
import { readPixelFormat } from './pixel-format.ts'

const VERSION = 'RFB 003.008\n'
const NO_SECURITY = 1
/** Updates that a client gets before it has asked for the next one: the line is not idle meanwhile. */
const AHEAD = 2
const MAX_ENCODINGS = 256
/** Texts that are longer are not passed over: something else is wrong. */
const MAX_SKIPPED = 64 * 1024 * 1024
/** Shortest rest between two updates, in which others have their turn, however many are asked for. */
const REST_MS = 5
/** A machine whose screen has no other size by then keeps the one that it has. */
const RESIZE_MS = 2000

/** Actions of a person at a viewer. */
export interface ViewerInput {
  key(isDown: boolean, keysym: number): void
  pointer(buttons: number, x: number, y: number): void
  resize(width: number, height: number): void
}

/** Features of a program of its own, instead of a page of ours. */
export interface ViewerProgram {
  /** Its clipboard has something new; in a page it goes beside the picture. */
  pasted(text: string): void
}

interface ViewerParts {
  picture: Picture
  name: string
  /** Missing for who only looks on. */
  input?: ViewerInput
  canResize(): boolean
  write(bytes: Buffer): void
  /** It takes more: what it has been sent is not waiting any more. `changed` is called once it does. */
  hasRoom(): boolean
  /** It has signed in already, and is not one of our pages. */
  program?: ViewerProgram
}

/**
 * The server's end of a line to a VNC viewer. All that it sends is made from the picture: nothing of
 * what a target has sent reaches a viewer. It sends as fast as the viewer asks.
 */
export class Viewer {
  readonly #parts: ViewerParts
  readonly #view: View
  readonly #detach: () => void
  readonly #reader: StepReader
  readonly #encoders = new Encoders()
  #format = readPixelFormat(PIXEL_FORMAT)
  #named: readonly number[] = []
  #encode: Encoder | undefined
  #clipboard: ExtendedClipboard | undefined
  /** Goes out when there is room for it. */
  #unsentText: string | undefined
  #unsentName: string | undefined
  #isIn = false
  #asked = 0
  #sent = 0
  /** Set after an update: the next one is not due before. */
  #resting: NodeJS.Timeout | undefined
  /** Set while the viewer waits for the size that it has asked for. */
  #resizing: NodeJS.Timeout | undefined

  constructor(parts: ViewerParts) {
    this.#parts = parts
    this.#view = new View(parts.picture)
    this.#detach = parts.picture.attach(this.#view)
    this.#reader = new StepReader(this.#read())
    if (!parts.program) parts.write(Buffer.from(VERSION))
  }

  /** Takes what the viewer sent. Throws ProtocolViolation. */
  receive(bytes: Buffer): void {
    this.#reader.add(bytes)
    this.#reader.read()
  }

  /** The picture changed, or there is room again. */
  changed(): void {
    this.#sendText()
    if (this.#resting || !this.#isIn || !this.#hasAsked || !this.#isDue || !this.#parts.hasRoom()) return
    const began = performance.now()
    this.#send()
    // No viewer has more than half of the processor.
    const rest = Math.max(REST_MS, performance.now() - began)
    this.#resting = setTimeout(() => {
      this.#resting = undefined
      this.changed()
    }, rest)
  }

  /** The machine's clipboard; undefined: what was offered before is not to be had any more. */
  copied(text: string | undefined): void {
    this.#unsentText = text
    if (text === undefined) this.#clipboard?.withdraw()
    this.#sendText()
  }

  /** Changes the name of the desktop in the viewer, where it can. */
  rename(name: string): void {
    if (!this.#named.includes(ENCODING.desktopName)) return
    this.#unsentName = name
    this.changed()
  }

  bell(): void {
    if (this.#isIn && this.#parts.hasRoom()) this.#parts.write(Buffer.of(FROM_SERVER.bell))
  }

  close(): void {
    this.#detach()
    clearTimeout(this.#resizing)
    clearTimeout(this.#resting)
    this.#clipboard?.close()
    this.#isIn = false
  }

  /** A page of ours takes updates that it has not asked for yet; other programs may not (RFC 6143 §7.5.3). */
  get #hasAsked(): boolean {
    return this.#asked > 0 && this.#sent < this.#asked + (this.#parts.program ? 0 : AHEAD)
  }

  get #isDue(): boolean {
    return this.#view.isDue || this.#unsentName !== undefined
  }

  #send(): void {
    this.#sent++
    const { write } = this.#parts
    const name = this.#unsentName
    this.#unsentName = undefined
    const size = name === undefined ? this.#view.takeSize() : undefined
    const taken = name === undefined && !size ? this.#view.take(this.#encode) : undefined
    if (name !== undefined) write(nameUpdate(name))
    else if (size) write(sizeUpdate(size, this.#canResize, this.#takeResizing() ? 'done' : undefined))
    else if (taken) write(Buffer.concat([updateHead(taken.count), taken.bytes]))
  }

  #sendText(): void {
    const text = this.#unsentText
    if (text === undefined || !this.#isIn || !this.#parts.hasRoom()) return
    this.#unsentText = undefined
    if (this.#clipboard) this.#clipboard.offer(text)
    else this.#parts.write(cutText(text, FROM_SERVER.cutText))
  }

  get #namesSize(): boolean {
    return this.#named.includes(ENCODING.desktopSize) || this.#named.includes(ENCODING.extendedDesktopSize)
  }

  get #canResize(): boolean {
    const { program, canResize } = this.#parts
    return canResize() && (!program || this.#named.includes(ENCODING.extendedDesktopSize))
  }

  #resize(width: number, height: number): void {
    const { input, picture, write } = this.#parts
    if (!input) return
    this.#takeResizing()
    this.#resizing = setTimeout(() => {
      if (this.#takeResizing() && this.#isIn) write(sizeUpdate(picture, this.#canResize, 'refused'))
    }, RESIZE_MS)
    input.resize(width, height)
  }

  /** Whether a size was waited for, which it is not any more. */
  #takeResizing(): boolean {
    const isResizing = this.#resizing !== undefined
    clearTimeout(this.#resizing)
    this.#resizing = undefined
    return isResizing
  }

  *#read(): Steps {
    const { picture, name, write, program } = this.#parts
    if (!program) {
      yield 12
      write(Buffer.from([1, NO_SECURITY]))
      if ((yield 1)[0] !== NO_SECURITY) throw new ProtocolViolation('a way to sign in that was not offered')
      write(Buffer.alloc(4))
    }
    yield 1
    write(serverInit(picture, name))
    this.#isIn = true
    for (;;) yield* this.#message()
  }

  *#message(): Steps {
    const [type] = yield 1
    switch (type) {
      case FROM_CLIENT.pixelFormat:
        this.#format = readPixelFormat((yield 19).subarray(3))
        this.#encode = this.#encoders.of(this.#named, this.#format)
        break
      case FROM_CLIENT.encodings:
        yield* this.#encodings()
        break
      case FROM_CLIENT.updateRequest: {
        const [isIncremental] = yield 9
        if (!this.#namesSize) throw new ProtocolViolation('a viewer whose screen has one size for ever')
        if (!isIncremental) this.#view.everything()
        this.#asked++
        this.changed()
        break
      }
      case FROM_CLIENT.key: {
        const key = yield 7
        this.#parts.input?.key(key[0] !== 0, key.readUInt32BE(3))
        break
      }
      case FROM_CLIENT.pointer: {
        const at = yield 5
        this.#parts.input?.pointer(at[0] as number, at.readUInt16BE(1), at.readUInt16BE(3))
        break
      }
      case FROM_CLIENT.cutText:
        yield* this.#cutText()
        break
      case FROM_CLIENT.desktopSize: {
        const head = yield 7
        yield* skip((head[5] as number) * 16)
        this.#resize(head.readUInt16BE(1), head.readUInt16BE(3))
        break
      }
      default:
        throw new ProtocolViolation(`message ${type} of a VNC viewer`)
    }
  }

  /** A length below zero tells what is no plain text. */
  *#cutText(): Steps {
    const { program, input } = this.#parts
    const signedLength = (yield 7).readInt32BE(3)
    const length = Math.abs(signedLength)
    if (length > MAX_SKIPPED) throw new ProtocolViolation('a clipboard that is too large')
    if (!program || !input || length > MAX_CUT_BYTES) return yield* skip(length)
    const bytes = yield length
    if (signedLength < 0) this.#clipboard?.receive(bytes)
    else program.pasted(bytes.toString('latin1'))
  }

  *#encodings(): Steps {
    const count = (yield 3).readUInt16BE(1)
    if (count > MAX_ENCODINGS) throw new ProtocolViolation('too many encodings')
    const list = yield count * 4
    const { program, write, input } = this.#parts
    this.#named = Array.from({ length: count }, (_, n) => list.readInt32BE(n * 4))
    this.#encode = this.#encoders.of(this.#named, this.#format)
    if (!program || !input || !this.#named.includes(ENCODING.extendedClipboard)) return
    this.#clipboard ??= new ExtendedClipboard({
      // A viewer that asks over and over and reads nothing gets nothing more.
      write: (bytes) => this.#parts.hasRoom() && write(bytes),
      copied: program.pasted,
      type: FROM_SERVER.cutText,
    })
  }
}
