/**
 * Asks for another size of the screen (MS-RDPEDISP), in a channel inside a channel (MS-RDPEDYC). All
 * other channels that a server wants to open there are refused.
 */
import { Cursor, u16, u32 } from './cursor.ts'
import { cut, Pieces } from './pieces.ts'

export const DYNAMIC_CHANNELS = 'drdynvc'

const NAME = 'Microsoft::Windows::RDS::DisplayControl'
const COMMAND = { create: 1, firstData: 2, data: 3, close: 4, capabilities: 5 } as const
/** The third brings compression. */
const VERSION = 2
const REFUSED = 0xc000_0001
const CAPABILITIES = 5
const LAYOUT = 2
const PRIMARY = 1
const MAX_MESSAGE = 64 * 1024
const MIN_SIDE = 200

export interface DisplayControlParts {
  /** Sends a piece on the channel. */
  send(piece: Buffer): void
  /** Sizes are taken from now on. */
  ready(): void
}

/** The gateway's end of the channel. */
export class DisplayControl {
  readonly #parts: DisplayControlParts
  readonly #pieces = new Pieces(MAX_MESSAGE)
  /** Number of the inner channel, as the server writes it. */
  #channel: Buffer | undefined
  #isReady = false

  constructor(parts: DisplayControlParts) {
    this.#parts = parts
  }

  get isReady(): boolean {
    return this.#isReady
  }

  resize(width: number, height: number, scale = 100): void {
    if (!this.#channel || !this.#isReady) return
    const monitor = u32(PRIMARY, 0, 0, width, height, 0, 0, 0, scale, 100)
    const layout = Buffer.concat([u32(LAYOUT, 16 + monitor.length, monitor.length, 1), monitor])
    this.#send(COMMAND.data, this.#channel, layout)
  }

  /** Takes a piece of the channel. Throws ProtocolViolation. */
  receive(piece: Buffer): void {
    const message = this.#pieces.add(piece)
    if (!message?.length) return
    const read = new Cursor(message)
    const head = read.u8()
    const command = head >> 4
    if (command === COMMAND.capabilities) {
      read.skip(1)
      const version = Math.min(read.u16(), VERSION)
      this.#write(Buffer.concat([Buffer.of(COMMAND.capabilities << 4, 0), u16(version)]))
      return
    }
    const channel = Buffer.from(read.take(sizeOf(head)))
    if (command === COMMAND.create) this.#create(channel, read.rest())
    else if (!this.#channel?.equals(channel)) return
    else if (command === COMMAND.close) this.#close()
    else if (command === COMMAND.data || command === COMMAND.firstData) {
      if (command === COMMAND.firstData) read.skip(sizeOf(head >> 2))
      if (read.u32() === CAPABILITIES && !this.#isReady) this.#open()
    }
  }

  #create(channel: Buffer, name: Buffer): void {
    const isWanted = !this.#channel && name.equals(Buffer.from(`${NAME}\0`))
    if (isWanted) this.#channel = channel
    this.#send(COMMAND.create, channel, u32(isWanted ? 0 : REFUSED))
  }

  #open(): void {
    this.#isReady = true
    this.#parts.ready()
  }

  #close(): void {
    this.#channel = undefined
    this.#isReady = false
  }

  #send(command: number, channel: Buffer, body: Buffer): void {
    this.#write(Buffer.concat([Buffer.of((command << 4) | (channel.length >> 1)), channel, body]))
  }

  #write(message: Buffer): void {
    for (const piece of cut(message)) this.#parts.send(piece)
  }
}

/** The nearest size that servers take: widths are even, and no side is shorter (MS-RDPEDISP 2.2.2.2.1). */
export const takenSize = (width: number, height: number) =>
  [Math.max(MIN_SIDE, width & ~3), Math.max(MIN_SIDE, height)] as const

/** Bytes of a number, from the two bits that tell it: 1, 2 or 4. */
const sizeOf = (bits: number) => 1 << Math.min(bits & 3, 2)
