/** The other end of the clipboard's channel, as a machine has it (MS-RDPECLIP): it copies files and gives them out. */
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
  /** What it was asked for of files: which, from where, how much. */
  readonly asked: [index: number, offset: number, length: number][] = []
  /** What the other end says that it can. */
  ways = 0
  /** It answers that it does not give files. */
  isClosed = false
  /** It answers nothing of files. */
  isSilent = false
  /** What it was asked meanwhile. */
  readonly #unanswered: Buffer[] = []
  readonly #tell: (piece: Buffer) => void
  readonly #pieces = new Pieces(4 * 1024 * 1024)
  #files: readonly FileThere[] = []

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
    read.skip(2)
    const body = new Cursor(read.take(read.u32()))
    if (type === 7) {
      body.skip(12)
      this.ways = body.u32()
    } else if (type === 4) this.#list(body.u32())
    else if (type === 8 && this.isSilent) this.#unanswered.push(body.rest())
    else if (type === 8) this.#give(body)
  }

  say(type: number, flags: number, ...parts: Buffer[]): void {
    const body = Buffer.concat(parts)
    for (const piece of cut(Buffer.concat([u16(type, flags), u32(body.length), body]))) this.#tell(piece)
  }

  #list(format: number): void {
    if (format === FILES) this.say(5, 1, u32(this.#files.length), ...this.#files.map(descriptor))
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
