/** A server of RDP as far as drives go (MS-RDPEFS): it offers the channel, and asks as Windows and xrdp do. */
import { Cursor, u16, u32, u64 } from '../cursor.ts'
import { cut, Pieces } from '../pieces.ts'
import { CORE, LIST, PACKET, packet, WANTS } from './messages.ts'

export const HOW = { open: 1, create: 2, openIf: 3, overwriteIf: 5 } as const
export const FOLDER = 1
export const WRITING = 0x2

export interface DriveMessage {
  id: number
  read: Cursor
}

export interface Done {
  status: number
  read: Cursor
}

export class DrivePeer {
  /** Messages of the drive, besides answers to requests. */
  readonly messages: DriveMessage[] = []
  readonly #tell: (piece: Buffer) => void
  readonly #pieces = new Pieces(64 * 1024 * 1024)
  readonly #asked = new Map<number, (done: Done) => void>()
  #next = 1

  constructor(tell: (piece: Buffer) => void) {
    this.#tell = tell
  }

  /** A piece of the drive's. */
  take(piece: Buffer): void {
    const message = this.#pieces.add(piece)
    if (!message) return
    const read = new Cursor(message)
    if (read.u16() !== CORE) throw new Error('no message of drives')
    const id = read.u16()
    if (id !== PACKET.completion) return void this.messages.push({ id, read })
    read.skip(4)
    const completion = read.u32()
    this.#asked.get(completion)?.({ status: read.u32(), read })
    this.#asked.delete(completion)
  }

  say(id: number, ...parts: Buffer[]): void {
    for (const piece of cut(packet(id, ...parts))) this.#tell(piece)
  }

  /** Up to the drive that is offered (MS-RDPEFS 1.3.1). */
  begin(): void {
    this.say(PACKET.serverAnnounce, u16(1, 12), u32(7))
    this.say(PACKET.serverCapabilities, u16(1, 0), u16(4, 8), u32(2))
    this.say(PACKET.clientId, u16(1, 12), u32(7))
    this.say(PACKET.loggedOn)
  }

  ask(wanted: number, file: number, ...parts: Buffer[]): Promise<Done> {
    return this.askIn(wanted, 0, file, ...parts)
  }

  askIn(wanted: number, detail: number, file: number, ...parts: Buffer[]): Promise<Done> {
    const completion = this.#next++
    const done = new Promise<Done>((resolve) => this.#asked.set(completion, resolve))
    this.say(PACKET.request, u32(1, file, completion, wanted, detail), ...parts)
    return done
  }

  /** Answers the status, and the number of what is open. */
  async open(path: string, how: number = HOW.open, options = 0, access = 1): Promise<{ status: number; file: number }> {
    const name = Buffer.from(`${path}\0`, 'utf16le')
    const { status, read } = await this.ask(WANTS.create, 0, u32(access, 0, 0, 0, 7, how, options, name.length), name)
    return { status, file: read.u32() }
  }

  async close(file: number): Promise<number> {
    return (await this.ask(WANTS.close, file, Buffer.alloc(32))).status
  }

  async write(file: number, offset: number, bytes: Buffer): Promise<number> {
    return (await this.ask(WANTS.write, file, u32(bytes.length), u64(offset), Buffer.alloc(20), bytes)).status
  }

  async read(file: number, offset: number, length: number): Promise<{ status: number; bytes: Buffer }> {
    const { status, read } = await this.ask(WANTS.read, file, u32(length), u64(offset), Buffer.alloc(20))
    return { status, bytes: read.take(read.u32()) }
  }

  async set(file: number, what: number, value: Buffer): Promise<number> {
    return (await this.ask(WANTS.setInformation, file, u32(what, value.length), Buffer.alloc(24), value)).status
  }

  rename(file: number, path: string): Promise<number> {
    const name = Buffer.from(path, 'utf16le')
    return this.set(file, 10, Buffer.concat([Buffer.of(0, 0), u32(name.length), name]))
  }

  /** Names in a folder, as Windows asks for them: with both kinds of names. */
  async list(folder: string, pattern = '*'): Promise<string[]> {
    const { file } = await this.open(folder, HOW.open, FOLDER)
    const names: string[] = []
    const path = Buffer.from(`${folder}\\${pattern}\0`, 'utf16le')
    for (let isFirst = 1; ; isFirst = 0) {
      const pathBytes = isFirst ? path : Buffer.alloc(0)
      const head = [u32(3), Buffer.of(isFirst), u32(pathBytes.length), Buffer.alloc(23), pathBytes]
      const { status, read } = await this.askIn(WANTS.directory, LIST, file, ...head)
      if (status !== 0) break
      read.skip(4 + 60)
      const length = read.u32()
      read.skip(4 + 1 + 24)
      names.push(read.take(length).toString('utf16le'))
    }
    await this.close(file)
    return names
  }
}
