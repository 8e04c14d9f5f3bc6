/** The other end of the clipboard's channel, as a machine has it (MS-RDPECLIP): it copies files and gives them out, and takes some. */
import { Cursor, u16, u32, u64 } from './cursor.ts'
import { cut, Pieces } from './pieces.ts'

const FILES = 0xc0bc
const DESCRIPTOR_BYTES = 592

export interface FileThere {
  /** As a machine names it, with backslashes. */
  name: string
  content: Buffer | 'folder'
  /** It does not say how long the file is before it is asked. */
  isUnsized?: boolean
}

export class ClipboardPeer {
  /** Requests for parts of files: index, offset, length. */
  readonly asked: [index: number, offset: number, length: number][] = []
  /** Capabilities of the other end. */
  ways = 0
  /** It answers that it does not give files. */
  isClosed = false
  /** It answers nothing of files. */
  isSilent = false
  /** It answers that it has not taken what is offered. */
  takesNothing = false
  /** Requests that came meanwhile. */
  readonly #unanswered: Buffer[] = []
  /** Formats that the other end offers, by name or number. */
  offered: Map<string, number> = new Map()
  /** It keeps each text as it is offered, as clipboard managers and servers of VNC do. */
  watches = false
  /** Readers that wait for an answer, by the stream that it was asked for; that of a list is 0. */
  readonly #waiting = new Map<number, (given: Buffer | undefined) => void>()
  #nextStream = 1
  readonly #tell: (piece: Buffer) => void
  readonly #pieces = new Pieces(4 * 1024 * 1024)
  #files: readonly FileThere[] = []
  #text: string | undefined

  constructor(tell: (piece: Buffer) => void) {
    this.#tell = tell
  }

  begin(): void {
    this.say(7, 0, u16(1, 0, 1, 12), u32(2, 0x2 | 0x4))
    this.say(1, 0)
  }

  copy(...files: FileThere[]): void {
    this.#files = files
    this.formats([FILES, 'FileGroupDescriptorW'], [0xc0bd, 'FileContents'])
  }

  copyText(text: string): void {
    this.#text = text
    this.formats([13, ''])
  }

  /** Answers again, also what it has left unanswered. */
  speak(): void {
    this.isSilent = false
    for (const question of this.#unanswered.splice(0)) this.#give(new Cursor(question))
  }

  /** How much it has left unanswered. */
  get waiting(): number {
    return this.#unanswered.length
  }

  formats(...formats: [format: number, name: string][]): void {
    this.say(
      2,
      0,
      ...formats.map(([format, name]) => Buffer.concat([u32(format), Buffer.from(`${name}\0`, 'utf16le')])),
    )
  }

  /** A piece of the other end's. */
  take(piece: Buffer): void {
    const message = this.#pieces.add(piece)
    if (!message) return
    const read = new Cursor(message)
    const type = read.u16()
    const isGiven = (read.u16() & 1) !== 0
    const body = new Cursor(read.take(read.u32()))
    if (type === 7) {
      body.skip(12)
      this.ways = body.u32()
    } else if (type === 2) {
      this.#offeredNow(body)
      this.say(3, this.takesNothing ? 2 : 1)
      if (this.watches) void this.text()
    } else if (type === 5) this.#answered(0, isGiven, body)
    else if (type === 9) this.#answered(body.u32(), isGiven, body)
    else if (type === 4) this.#list(body.u32())
    else if (type === 8 && this.isSilent) this.#unanswered.push(body.rest())
    else if (type === 8) this.#give(body)
  }

  /** Files that the other end offers. */
  async list(): Promise<[name: string, size: number][]> {
    const format = this.offered.get('FileGroupDescriptorW')
    const given = await this.#asking(0, () => this.say(4, 0, u32(format ?? 0)))
    if (!given) return []
    const read = new Cursor(given)
    return Array.from({ length: read.u32() }, () => {
      const bytes = read.take(DESCRIPTOR_BYTES)
      const [name = ''] = bytes.subarray(72).toString('utf16le').split('\0', 1)
      return [name, bytes.readUInt32LE(68)]
    })
  }

  /** Text that it offers; undefined where it has none. */
  async text(): Promise<string | undefined> {
    return (await this.#asking(0, () => this.say(4, 0, u32(13))))?.toString('utf16le').replace(/\0$/, '')
  }

  /** Bytes of one of them; undefined where they are not given. */
  fetch(index: number, offset: number, length: number): Promise<Buffer | undefined> {
    const stream = this.#nextStream++
    const place = u64(offset)
    return this.#asking(stream, () => this.say(8, 0, u32(stream, index, 2), place, u32(length)))
  }

  #asking(stream: number, ask: () => void): Promise<Buffer | undefined> {
    return new Promise((resolve) => {
      this.#waiting.set(stream, resolve)
      ask()
    })
  }

  #answered(stream: number, isGiven: boolean, body: Cursor): void {
    this.#waiting.get(stream)?.(isGiven ? Buffer.from(body.rest()) : undefined)
    this.#waiting.delete(stream)
  }

  #offeredNow(read: Cursor): void {
    this.offered = new Map()
    while (read.left) {
      const format = read.u32()
      let name = ''
      for (let unit = read.u16(); unit !== 0; unit = read.u16()) name += String.fromCharCode(unit)
      this.offered.set(name || String(format), format)
    }
  }

  say(type: number, flags: number, ...parts: Buffer[]): void {
    const body = Buffer.concat(parts)
    for (const piece of cut(Buffer.concat([u16(type, flags), u32(body.length), body]))) this.#tell(piece)
  }

  #list(format: number): void {
    if (format === 13 && this.#text !== undefined) this.say(5, 1, Buffer.from(`${this.#text}\0`, 'utf16le'))
    else if (format === FILES) this.say(5, 1, u32(this.#files.length), ...this.#files.map(descriptor))
    else this.say(5, 2)
  }

  #give(read: Cursor): void {
    const [stream, index, how] = [read.u32(), read.u32(), read.u32()]
    const offset = read.u64()
    const length = read.u32()
    const content = this.#files[index]?.content
    if (this.isClosed || !(content instanceof Buffer)) this.say(9, 2, u32(stream))
    else if (how === 1) this.say(9, 1, u32(stream), u64(content.length))
    else {
      this.asked.push([index, offset, length])
      this.say(9, 1, u32(stream), content.subarray(offset, offset + length))
    }
  }
}

function descriptor({ name, content, isUnsized }: FileThere): Buffer {
  const bytes = Buffer.alloc(DESCRIPTOR_BYTES)
  bytes.writeUInt32LE(0x4 | (isUnsized ? 0 : 0x40))
  bytes.writeUInt32LE(content === 'folder' ? 0x10 : 0x20, 36)
  bytes.writeUInt32LE(content === 'folder' || isUnsized ? 0 : content.length, 68)
  bytes.write(name, 72, 'utf16le')
  return bytes
}
