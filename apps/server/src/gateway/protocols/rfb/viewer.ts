import type { Picture } from '../../kinds/desktop/picture/picture.ts'
import { View } from '../../kinds/desktop/picture/view.ts'
import { ProtocolViolation } from '../protocol-violation.ts'
import { StepReader, type Steps, skip } from '../steps.ts'
import { ENCODING, FROM_CLIENT, MAX_CUT_BYTES, serverInit, sizeUpdate, updateHead } from './messages.ts'

const VERSION = 'RFB 003.008\n'
const NO_SECURITY = 1
/** Updates that a client gets before it has asked for the next one: the line is not idle meanwhile. */
const AHEAD = 2
const MAX_ENCODINGS = 256
/** A machine whose screen has no other size by then keeps the one that it has. */
const RESIZE_MS = 2000

/** What somebody at a viewer does. */
export interface ViewerInput {
  key(isDown: boolean, keysym: number): void
  pointer(buttons: number, x: number, y: number): void
  resize(width: number, height: number): void
}

interface ViewerParts {
  picture: Picture
  name: string
  /** Missing for who only looks on. */
  input?: ViewerInput
  canResize(): boolean
  write(bytes: Buffer): void
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
  #isIn = false
  #asked = 0
  #sent = 0
  /** Set while the viewer waits for the size that it has asked for. */
  #resizing: NodeJS.Timeout | undefined

  constructor(parts: ViewerParts) {
    this.#parts = parts
    this.#view = new View(parts.picture)
    this.#detach = parts.picture.attach(this.#view)
    this.#reader = new StepReader(this.#read())
    parts.write(Buffer.from(VERSION))
  }

  /** Takes what the viewer sent. Throws ProtocolViolation. */
  receive(bytes: Buffer): void {
    this.#reader.add(bytes)
    this.#reader.read()
  }

  /** The picture changed. */
  changed(): void {
    while (this.#isIn && this.#asked > 0 && this.#sent < this.#asked + AHEAD && this.#view.isDue) this.#send()
  }

  close(): void {
    this.#detach()
    clearTimeout(this.#resizing)
    this.#isIn = false
  }

  #send(): void {
    this.#sent++
    const { write, canResize } = this.#parts
    const size = this.#view.takeSize()
    const taken = size ? undefined : this.#view.take()
    if (size) write(sizeUpdate(size, canResize(), this.#takeResizing() ? 'done' : undefined))
    else if (taken) write(Buffer.concat([updateHead(taken.count), taken.bytes]))
  }

  #resize(width: number, height: number): void {
    const { input, picture, write, canResize } = this.#parts
    if (!input) return
    this.#takeResizing()
    this.#resizing = setTimeout(() => {
      if (this.#takeResizing() && this.#isIn) write(sizeUpdate(picture, canResize(), 'refused'))
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
    const { picture, name, write } = this.#parts
    yield 12
    write(Buffer.from([1, NO_SECURITY]))
    if ((yield 1)[0] !== NO_SECURITY) throw new ProtocolViolation('a way to sign in that was not offered')
    write(Buffer.alloc(4))
    yield 1
    write(serverInit(picture, name))
    this.#isIn = true
    for (;;) yield* this.#message()
  }

  *#message(): Steps {
    const [type] = yield 1
    switch (type) {
      case FROM_CLIENT.pixelFormat:
        if ((yield 19)[3] !== 32) throw new ProtocolViolation('pixels of another size')
        break
      case FROM_CLIENT.encodings:
        yield* this.#encodings()
        break
      case FROM_CLIENT.updateRequest: {
        const [isIncremental] = yield 9
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
      case FROM_CLIENT.cutText: {
        // The clipboard goes beside the picture, where every script fits.
        const length = (yield 7).readUInt32BE(3)
        if (length > MAX_CUT_BYTES) throw new ProtocolViolation('a clipboard that is too large')
        yield* skip(length)
        break
      }
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

  *#encodings(): Steps {
    const count = (yield 3).readUInt16BE(1)
    if (count > MAX_ENCODINGS) throw new ProtocolViolation('too many encodings')
    const list = yield count * 4
    for (let at = 0; at < list.length; at += 4) if (list.readInt32BE(at) === ENCODING.tight) return
    throw new ProtocolViolation('a viewer without the encoding Tight')
  }
}
