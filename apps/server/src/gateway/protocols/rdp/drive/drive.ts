import { setImmediate as letOthersWork } from 'node:timers/promises'
import { inBackground } from '../../../../kernel/background.ts'
import type { MachineFiles } from '../../../kinds/desktop/files/machine-files.ts'
import { ProtocolViolation } from '../../protocol-violation.ts'
import { Cursor, u16, u32 } from '../cursor.ts'
import { cut, Pieces } from '../pieces.ts'
import { DRIVE_NAME } from './information.ts'
import { CORE, PACKET, packet, STATUS } from './messages.ts'
import { DriveRequests, MAX_READ } from './requests.ts'

/** Version of the protocol, as in Windows since Vista. */
const VERSION = [1, 12] as const
/** Server and client of this version have no word for a sign-in (MS-RDPEFS 3.2.5.1.6). */
const NO_SIGN_IN = 5
const GENERAL = 1
const DRIVES = 4
/** Devices may go, names for people, and a word when somebody has signed in. */
const EXTENSIONS = 0x1 | 0x2 | 0x4
const FILE_SYSTEM = 8
const DEVICE = 1
/** As machines name whose drive it is. */
const COMPUTER = 'sallyport'
/** Limit of a request, in bytes: as much is written at once as is read. */
const MAX_MESSAGE = MAX_READ + 1024
/** With more requests waiting than these, or as many bytes of them, a server is not read on. */
const MAX_WAITING = 256
const MAX_WAITING_BYTES = MAX_MESSAGE

export interface DriveParts {
  /** Sends a piece on the channel. */
  send(piece: Buffer): void
  /** Settles when the server has taken enough of what it was sent. */
  room(): Promise<void> | undefined
  /** It takes requests again. */
  onRoom(): void
  /** Nothing is said on the channel any more. */
  onBroken(error: Error): void
}

/**
 * The gateway's end of the channel: one drive, which is the folder of the session. Requests are done
 * one after the other, as they come. A server that does not keep to the protocol has no drive any
 * more; its desktop goes on.
 */
export class Drive {
  readonly #parts: DriveParts
  readonly #pieces = new Pieces(MAX_MESSAGE)
  readonly #waiting: Buffer[] = []
  #waitingBytes = 0
  #files: MachineFiles | undefined
  #requests: DriveRequests | undefined
  #serverVersion = 0
  #isSignedIn = false
  #isAnnounced = false
  #isWorking = false
  #isOver = false

  constructor(parts: DriveParts) {
    this.#parts = parts
  }

  /** Further messages are read when others have been handled. */
  get isFull(): boolean {
    return this.#waiting.length > MAX_WAITING || this.#waitingBytes > MAX_WAITING_BYTES
  }

  /** Offers the folder to the machine, at once or as soon as it can take it. */
  serve(files: MachineFiles): void {
    this.#files = files
    this.#requests ??= new DriveRequests(files)
    this.#announce()
  }

  close(): void {
    this.#isOver = true
    this.#forgetWaiting()
  }

  /** Takes a piece of the channel. */
  receive(piece: Buffer): void {
    if (this.#isOver) return
    try {
      if (new Cursor(piece).u32() > MAX_MESSAGE) throw new ProtocolViolation('a request to a drive that is too large')
      const message = this.#pieces.add(piece)
      if (message) this.#message(message)
    } catch (error) {
      this.#break(error)
    }
  }

  #message(message: Buffer): void {
    const read = new Cursor(message)
    // Printers say other things.
    if (read.u16() !== CORE) return
    switch (read.u16()) {
      case PACKET.serverAnnounce:
        read.skip(2)
        this.#serverVersion = read.u16()
        this.#beginAnew()
        this.#introduce(read.u32())
        return
      case PACKET.serverCapabilities:
        this.#send(packet(PACKET.clientCapabilities, CAPABILITIES))
        return
      case PACKET.clientId:
        if (this.#serverVersion === NO_SIGN_IN) this.#signedIn()
        return
      case PACKET.loggedOn:
        this.#signedIn()
        return
      case PACKET.request:
        this.#waiting.push(message)
        this.#waitingBytes += message.length
        inBackground(this.#work())
    }
  }

  /**
   * Windows begins once more when somebody has signed in: it knows of no drive then, of nothing that
   * is open there, and of no request.
   */
  #beginAnew(): void {
    this.#isSignedIn = false
    this.#isAnnounced = false
    this.#forgetWaiting()
    this.#requests?.close()
    this.#requests = this.#files && new DriveRequests(this.#files)
  }

  #forgetWaiting(): void {
    this.#waiting.length = 0
    this.#waitingBytes = 0
  }

  #introduce(clientId: number): void {
    this.#send(packet(PACKET.clientId, u16(...VERSION), u32(clientId)))
    const name = Buffer.from(`${COMPUTER}\0`, 'utf16le')
    this.#send(packet(PACKET.clientName, u32(1, 0, name.length), name))
  }

  #signedIn(): void {
    this.#isSignedIn = true
    this.#announce()
  }

  #announce(): void {
    if (!this.#isSignedIn || !this.#requests || this.#isAnnounced || this.#isOver) return
    this.#isAnnounced = true
    const short = Buffer.alloc(8)
    short.write(DRIVE_NAME, 'latin1')
    // MS-RDPEFS 2.2.3.1 has it in UTF-16; servers take it letter by letter, as from other clients.
    const long = Buffer.from(`${DRIVE_NAME}\0`, 'latin1')
    this.#send(packet(PACKET.devices, u32(1, FILE_SYSTEM, DEVICE), short, u32(long.length), long))
  }

  /** Messages of the beginning: short, and few. */
  #send(message: Buffer): void {
    for (const piece of cut(message)) this.#parts.send(piece)
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return
    this.#isWorking = true
    try {
      for (let next = this.#waiting[0]; next && !this.#isOver; next = this.#waiting[0]) {
        const answer = await this.#answer(next)
        if (answer) await this.#sendSlowly(answer, next)
        if (this.#waiting[0] === next) this.#done(next)
        // However little a request waits for itself.
        await letOthersWork()
      }
    } catch (error) {
      this.#break(error)
    } finally {
      this.#isWorking = false
    }
  }

  #done(request: Buffer): void {
    const wasFull = this.isFull
    this.#waiting.shift()
    this.#waitingBytes -= request.length
    if (wasFull && !this.isFull) this.#parts.onRoom()
  }

  async #answer(request: Buffer): Promise<Buffer | undefined> {
    const read = new Cursor(request, 4)
    const device = read.u32()
    const fileId = read.u32()
    const completion = read.u32()
    const wanted = read.u32()
    const detail = read.u32()
    const answer =
      device === DEVICE && this.#requests
        ? await this.#requests.answer(wanted, detail, fileId, read)
        : { status: STATUS.failed, body: u32(0) }
    return answer && packet(PACKET.completion, u32(device, completion, answer.status), answer.body)
  }

  /** Between two pieces others have their turn: a long answer does not hold up keys. */
  async #sendSlowly(answer: Buffer, request: Buffer): Promise<void> {
    for (const piece of cut(answer)) {
      await this.#parts.room()
      // Nobody waits for it any more.
      if (this.#waiting[0] !== request) return
      this.#parts.send(piece)
    }
  }

  #break(error: unknown): void {
    if (this.#isOver) return
    this.close()
    this.#parts.onBroken(error as Error)
    this.#parts.onRoom()
  }
}

const CAPABILITIES = Buffer.concat([
  u16(2, 0),
  u16(GENERAL, 44),
  u32(2, 2, 0),
  u16(...VERSION),
  u32(0xffff, 0, EXTENSIONS, 0, 0, 0),
  u16(DRIVES, 8),
  u32(2),
])
