import type { PasteKeys } from '@sallyport/contract/socket/desktop.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { CopiedFiles } from '../../kinds/desktop/files/copied-files.ts'
import type { MachineFiles } from '../../kinds/desktop/files/machine-files.ts'
import { type Area, MAX_PIXELS, type Picture } from '../../kinds/desktop/picture/picture.ts'
import { PaintedPointer } from '../../kinds/desktop/picture/pointer.ts'
import type { DesktopListener, DesktopTarget, ScreenSize, Typed } from '../../kinds/desktop/streams.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { paint, readBitmaps } from '../../protocols/rdp/bitmaps.ts'
import { Cursor } from '../../protocols/rdp/cursor.ts'
import { DisplayControl, takenSize } from '../../protocols/rdp/display-control.ts'
import type { Drive } from '../../protocols/rdp/drive/drive.ts'
import { mcsOf, readMessages } from '../../protocols/rdp/framing.ts'
import { pointerInput, unlocked } from '../../protocols/rdp/input.ts'
import { Keyboard } from '../../protocols/rdp/keyboard.ts'
import { readIndication, sendData } from '../../protocols/rdp/mcs.ts'
import type { PointerUpdate } from '../../protocols/rdp/pointers.ts'
import { CONTROL, DATA, readDemand, readShareData, refresh, shareMessages, takeUp } from '../../protocols/rdp/share.ts'
import { FastPath, slowPointer } from '../../protocols/rdp/updates.ts'
import { StepReader } from '../../protocols/steps.ts'
import { BREACH } from '../desktop-refusals.ts'
import type { ServerConnection } from '../server-connection.ts'
import { openDrive, roomForFiles } from './drive-channel.ts'
import { endWords } from './end-words.ts'
import type { Entered } from './enter.ts'
import { MachineClipboard } from './machine-clipboard.ts'
import { ShownPointer } from './shown-pointer.ts'

/** A message that paints the screen more often than this does not show anything any more. */
const MAX_PAINTED = 2
/** Screens smaller than this are painted in no time, however often, in pixels. */
const SMALL = 256 * 1024
/** A server that has painted more screens than this is read on after a rest. */
const SCREENS_AT_ONCE = 1
const REST_MS = 15
/** With more unsent than this, a server that takes nothing any more gets nothing more either. */
const MAX_UNSENT = 1024 * 1024
/** Screens that one message may offer. */
const MAX_DEMANDS = 4
/** Cost of painting a pointer: few are larger. */
const POINTER_PIXELS = 32 * 32

interface Parts {
  server: ServerConnection
  entered: Entered
  picture: Picture
  name: string
  /** It runs on a kind of Unix. */
  isUnix?: boolean
  log: Pick<FastifyBaseLogger, 'info'>
}

/**
 * A server of RDP as a session takes it. What it paints is decoded into the picture, no faster than
 * a screen in `REST_MS`; nothing of what it sends goes any further.
 */
export function rdpTarget(parts: Parts): DesktopTarget {
  return new RdpTarget(parts)
}

class RdpTarget implements DesktopTarget {
  readonly picture: Picture
  readonly name: string
  readonly #parts: Parts
  readonly #pointer: PaintedPointer
  readonly #shown: ShownPointer
  readonly #keyboard: Keyboard
  readonly #clipboard: MachineClipboard
  readonly #display: DisplayControl
  readonly #drive: Drive | undefined
  readonly #fastPath: FastPath
  readonly #reader: StepReader
  #listener: DesktopListener | undefined
  #buttons = 0
  #isPaused = false
  #isClosed = false
  /** Pixels, and what else costs as much, since the last rest. */
  #painted = 0
  /** How many it may be by the end of this message. */
  #mostPainted = 0
  #resting: NodeJS.Timeout | undefined
  /** Why the server ends it, where it says so. */
  #lastWords: string | undefined

  constructor(parts: Parts) {
    const { picture, name, entered } = parts
    this.#parts = parts
    this.picture = picture
    this.name = name
    this.#pointer = new PaintedPointer(picture)
    this.#shown = new ShownPointer(this.#pointer)
    this.#keyboard = new Keyboard(entered.demand.takesUnicode)
    this.#clipboard = new MachineClipboard({
      send: (pieces) => this.#sendClipboard(pieces),
      room: () => roomForFiles(parts.server.stream),
      keyboard: this.#keyboard,
      press: (messages) => this.#sendAll(messages),
      listener: () => this.#listener,
      takesFiles: entered.driveChannel !== undefined,
      isUnix: parts.isUnix === true,
    })
    this.#display = new DisplayControl({
      send: (piece) => entered.dynamicChannel && this.#send(sendData(entered.user, entered.dynamicChannel, piece)),
      ready: () => picture.announce(),
    })
    const { user, driveChannel } = entered
    if (driveChannel)
      this.#drive = openDrive({
        stream: parts.server.stream,
        send: (piece) => this.#send(sendData(user, driveChannel, piece)),
        onRoom: () => this.#isClosed || this.#read(),
        log: parts.log,
      })
    this.#fastPath = new FastPath({
      bitmaps: (read) => this.#paint(read),
      pointer: (update) => this.#showPointer(update),
    })
    this.#reader = new StepReader(readMessages((message) => this.#message(message)))
  }

  start(listener: DesktopListener): void {
    this.#listener = listener
    const { stream } = this.#parts.server
    stream.on('data', (bytes: Buffer) => {
      this.#reader.add(bytes)
      this.#read()
    })
    const onEnd = () =>
      listener.end(
        this.#lastWords === undefined ? { isLost: true } : this.#lastWords ? { message: this.#lastWords } : {},
      )
    if (stream.destroyed) onEnd()
    else stream.once('close', onEnd)
    stream.once('end', () => stream.destroy())
    this.#send(unlocked())
  }

  get canTakeFiles(): boolean {
    return this.#drive !== undefined
  }

  serveFiles(files: MachineFiles): void {
    this.#drive?.serve(files)
  }

  key(isDown: boolean, keysym: number): void {
    this.#sendAll(this.#keyboard.key(isDown, keysym))
    if (isDown) this.#clipboard.pressed(false)
  }

  characterByClipboard(keysym: number): string | undefined {
    return this.#clipboard.characterByClipboard(keysym)
  }

  type(text: string, mayPress: () => boolean): Promise<Typed> {
    return this.#clipboard.type(text, mayPress)
  }

  get pasteKeys(): PasteKeys | undefined {
    return this.#parts.isUnix ? this.#clipboard.keys : undefined
  }

  set pasteKeys(keys: PasteKeys) {
    this.#clipboard.keys = keys
  }

  pointer(buttons: number, x: number, y: number): void {
    this.#sendAll(pointerInput(buttons, this.#buttons, x, y))
    this.#buttons = buttons
    if (buttons) this.#clipboard.pressed(true)
    this.#pointer.move(x, y)
    this.#listener?.changed()
  }

  paste(text: string): Promise<void> {
    return this.#clipboard.paste(text)
  }

  pasteFiles(files: CopiedFiles): void {
    this.#clipboard.pasteFiles(files)
  }

  get canResize(): boolean {
    return this.#display.isReady
  }

  resize({ width, height, scale }: ScreenSize): void {
    const [even, tall] = takenSize(width, height)
    const isSame = even === this.picture.width && tall === this.picture.height
    if (!isSame && even * tall <= MAX_PIXELS) this.#display.resize(even, tall, scale)
  }

  pause(): void {
    this.#isPaused = true
    this.#parts.server.stream.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#read()
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#resting)
    this.#drive?.close()
    this.#clipboard.close()
    this.#parts.server.close()
  }

  /** The whole of a message or nothing: one that is cut off would spoil the next. */
  #sendClipboard(pieces: Iterable<Buffer>): void {
    const { user, clipboardChannel } = this.#parts.entered
    if (!clipboardChannel) return
    const message = Buffer.concat([...pieces].map((piece) => sendData(user, clipboardChannel, piece)))
    // A server that fetches a long text over and over waits as one that paints.
    this.#painted += message.length
    this.#send(message)
  }

  #sendAll(messages: readonly Buffer[]): void {
    for (const message of messages) this.#send(message)
  }

  #send(bytes: Buffer): void {
    const { stream } = this.#parts.server
    if (!this.#isClosed && stream.writable && stream.writableLength < MAX_UNSENT) stream.write(bytes)
  }

  #read(): void {
    const { stream } = this.#parts.server
    const waits = () => this.#resting !== undefined || this.#isClosed || this.#isPaused || this.#drive?.isFull === true
    try {
      this.#reader.read(waits)
    } catch (error) {
      if (!(error instanceof ProtocolViolation || error instanceof RangeError)) throw error
      this.#parts.log.info({ err: error }, 'a server of RDP does not speak its protocol')
      this.#lastWords = BREACH
      stream.destroy()
      return
    }
    if (waits()) stream.pause()
    else stream.resume()
  }

  #message(message: Buffer): void {
    const screen = Math.max(this.picture.width * this.picture.height, SMALL)
    this.#mostPainted = this.#painted + MAX_PAINTED * screen
    const mcs = mcsOf(message)
    if (!mcs) this.#fastPath.receive(message)
    else this.#indication(mcs)
    this.#listener?.changed()
    if (this.#painted > SCREENS_AT_ONCE * screen) this.#rest()
  }

  #indication(mcs: Buffer): void {
    const indication = readIndication(mcs)
    const { screenChannel, clipboardChannel, dynamicChannel, driveChannel } = this.#parts.entered
    if (!indication) {
      this.#lastWords ??= ''
      this.#parts.server.stream.destroy()
    } else if (indication.channel === clipboardChannel) this.#clipboard.receive(indication.data)
    else if (indication.channel === dynamicChannel) this.#display.receive(indication.data)
    else if (indication.channel === driveChannel) this.#drive?.receive(indication.data)
    else if (indication.channel === screenChannel) {
      let demands = 0
      for (const { type, body } of shareMessages(indication.data)) {
        if (type === CONTROL.demandActive && ++demands > MAX_DEMANDS)
          throw new ProtocolViolation('a message that offers screens over and over')
        this.#share(type, body)
      }
    }
  }

  #share(type: number, body: Buffer): void {
    if (type === CONTROL.demandActive) this.#takeUp(body)
    if (type !== CONTROL.data) return
    const { type: kind, contents } = readShareData(body)
    if (kind === DATA.update) this.#paint(new Cursor(contents))
    else if (kind === DATA.errorInfo) this.#lastWords = endWords(new Cursor(contents).u32()) ?? this.#lastWords
    else if (kind === DATA.pointer) {
      const update = slowPointer(contents)
      if (update) this.#showPointer(update)
    }
  }

  /** Takes another screen, perhaps of another size. */
  #takeUp(body: Buffer): void {
    const { entered } = this.#parts
    const demand = readDemand(body)
    entered.demand = demand
    const { user, screenChannel } = entered
    for (const message of takeUp(demand, user)) this.#send(sendData(user, screenChannel, message))
    this.#send(sendData(user, screenChannel, refresh(demand, user)))
    // Rebuilt over and over, it costs as much as being painted.
    this.#painted += demand.width * demand.height
    if (demand.width === this.picture.width && demand.height === this.picture.height) return
    this.picture.resize(demand.width, demand.height)
    this.#pointer.reset()
  }

  #paint(read: Cursor): void {
    for (const bitmap of readBitmaps(read)) {
      this.#spend(bitmap.width * bitmap.height)
      let shown: Area | undefined
      this.#pointer.under(bitmap.area, () => {
        shown = paint(this.picture, bitmap)
      })
      if (shown) this.picture.touch(shown)
    }
  }

  /** Throws ProtocolViolation where a message costs more than any that shows something. */
  #spend(pixels: number): void {
    this.#painted += pixels
    if (this.#painted > this.#mostPainted) throw new ProtocolViolation('a message paints the screen over and over')
  }

  #showPointer(update: PointerUpdate): void {
    this.#spend(POINTER_PIXELS)
    this.#shown.show(update)
  }

  #rest(): void {
    this.#painted = 0
    this.#resting = setTimeout(() => {
      this.#resting = undefined
      if (!this.#isClosed && !this.#isPaused) this.#read()
    }, REST_MS)
  }
}
