/** Packets of SFTP as they are made, sent and cut out of a stream. */
import type { Duplex } from 'node:stream'
import { nameBytes } from './file-name.ts'
import { ATTRIBUTE, type FileAttributes, MAX_PACKET, MalformedPacket } from './sftp-wire.ts'

/** Flags and all that they may announce. */
const MAX_ATTRIBUTES = 32
/** Content of files beyond this is not copied. */
const LARGE = 8 * 1024
/** Limit of OpenSSH and ssh2 for one SSH packet, in bytes. */
const BLOCK = 32 * 1024

/** One field of a packet: a number is a uint32; text and bytes are preceded by their length. */
export type Field = number | string | Buffer | { raw: Buffer }

export function uint64(value: number): { raw: Buffer } {
  const raw = Buffer.allocUnsafe(8)
  putUint64(raw, value, 0)
  return { raw }
}

export function attributeField({ size, uid, gid, mode, atime, mtime }: FileAttributes): { raw: Buffer } {
  const raw = Buffer.allocUnsafe(MAX_ATTRIBUTES)
  let flags = 0
  let at = 4
  if (size !== undefined) {
    flags |= ATTRIBUTE.SIZE
    at = putUint64(raw, size, at)
  }
  if (uid !== undefined && gid !== undefined) {
    flags |= ATTRIBUTE.OWNER
    at = putUint32(raw, gid, putUint32(raw, uid, at))
  }
  if (mode !== undefined) {
    flags |= ATTRIBUTE.MODE
    at = putUint32(raw, mode, at)
  }
  if (atime !== undefined && mtime !== undefined) {
    flags |= ATTRIBUTE.TIMES
    at = putUint32(raw, mtime, putUint32(raw, atime, at))
  }
  putUint32(raw, flags, 0)
  return { raw: raw.subarray(0, at) }
}

/** Both answer where the next field begins. */
function putUint32(bytes: Buffer, value: number, at: number): number {
  return bytes.writeUInt32BE(value >>> 0, at)
}

function putUint64(bytes: Buffer, value: number, at: number): number {
  return putUint32(bytes, value, putUint32(bytes, Math.floor(value / 2 ** 32), at))
}

/** A whole packet, in one piece but for large content, which keeps its place between others. */
export function packet(type: number, fields: readonly Field[]): Buffer[] {
  const parts = fields.map((field) => (typeof field === 'string' ? nameBytes(field) : field))
  let length = 1
  let copied = 5
  for (const part of parts) {
    const size = sizeOf(part)
    length += size
    copied += isLarge(part) ? 4 : size
  }
  const bytes = Buffer.allocUnsafe(copied)
  const pieces: Buffer[] = []
  let begun = 0
  let at = bytes.writeUInt8(type, putUint32(bytes, length, 0))
  for (const part of parts) {
    if (typeof part === 'number') {
      at = putUint32(bytes, part, at)
      continue
    }
    const content = Buffer.isBuffer(part) ? part : part.raw
    if (content === part) at = putUint32(bytes, content.length, at)
    if (isLarge(part)) {
      pieces.push(bytes.subarray(begun, at), content)
      begun = at
    } else {
      bytes.set(content, at)
      at += content.length
    }
  }
  if (begun < at) pieces.push(bytes.subarray(begun, at))
  return pieces
}

type Part = Exclude<Field, string>

function sizeOf(part: Part): number {
  return typeof part === 'number' ? 4 : Buffer.isBuffer(part) ? 4 + part.length : part.raw.length
}

function isLarge(part: Part): part is Buffer {
  return Buffer.isBuffer(part) && part.length > LARGE
}

/** Cuts a stream of bytes into packets. */
export class PacketCutter {
  #pieces: Buffer[] = []
  #have = 0

  /**
   * Calls back with each whole packet, without its length. Throws MalformedPacket for an impossible
   * length.
   */
  push(bytes: Buffer, onPacket: (packet: Buffer) => void): void {
    // Most come alone and whole: those of small files.
    if (!this.#have && bytes.length > 4 && bytes.length <= MAX_PACKET && bytes.readUInt32BE() === bytes.length - 4) {
      onPacket(bytes.subarray(4))
      return
    }
    this.#pieces.push(bytes)
    this.#have += bytes.length
    while (this.#have >= 4) {
      const first = this.#gather(4)
      const length = first.readUInt32BE()
      if (length < 1 || length > MAX_PACKET) throw new MalformedPacket(`packet of ${length} bytes`)
      if (this.#have < 4 + length) return
      const whole = this.#gather(4 + length)
      this.#pieces[0] = whole.subarray(4 + length)
      this.#have -= 4 + length
      if (!this.#pieces[0].length) this.#pieces.shift()
      onPacket(whole.subarray(4, 4 + length))
    }
  }

  /** Makes the first piece at least so long. */
  #gather(length: number): Buffer {
    let first: Buffer = this.#pieces[0] ?? Buffer.alloc(0)
    if (first.length >= length) return first
    let count = 1
    for (let have = first.length; have < length; count++) have += this.#pieces[count]?.length ?? 0
    first = Buffer.concat(this.#pieces.slice(0, count))
    this.#pieces.splice(0, count, first)
    return first
  }
}

/**
 * Sends packets over a channel; those of one turn together, since an SSH packet for each would cost
 * more than its content. Little is sent at its end, because somebody waits for it; much, as of a
 * large file, waits for what else has arrived by then, since whole blocks cost less.
 */
export class PacketSender {
  readonly #channel: Duplex
  #pieces: Buffer[] = []
  #bytes = 0
  #scheduled = false

  constructor(channel: Duplex) {
    this.#channel = channel
  }

  /** A packet that is not sent `soon` leaves with the next one that is, or by `flush`. */
  send(type: number, fields: readonly Field[], { soon = true } = {}): void {
    for (const piece of packet(type, fields)) {
      this.#pieces.push(piece)
      this.#bytes += piece.length
    }
    if (this.#scheduled || !soon) return
    this.#scheduled = true
    process.nextTick(() => {
      if (this.#bytes < BLOCK) this.flush()
      else setImmediate(() => this.flush())
    })
  }

  /**
   * Sends in blocks of the size of an SSH packet. Large content is sent as it is; only what a
   * block's edge cuts is copied.
   */
  flush(): void {
    this.#scheduled = false
    const [only] = this.#pieces
    if (only && this.#pieces.length === 1 && this.#bytes <= BLOCK) {
      this.#pieces = []
      this.#bytes = 0
      this.#write([only])
      return
    }
    this.#bytes = 0
    let block: Buffer[] = []
    let room = BLOCK
    for (let piece of this.#pieces.splice(0)) {
      while (piece.length) {
        const part = piece.subarray(0, room)
        block.push(part)
        room -= part.length
        piece = piece.subarray(part.length)
        if (room) continue
        this.#write(block)
        block = []
        room = BLOCK
      }
    }
    this.#write(block)
  }

  #write(block: Buffer[]): void {
    const [first, ...more] = block
    if (first && this.#channel.writable) this.#channel.write(more.length ? Buffer.concat(block) : first)
  }

  /** More was sent than the other side accepts for now: the channel's `drain` follows. */
  get full(): boolean {
    return this.#channel.writableNeedDrain
  }
}
