/**
 * SFTP version 3 on the wire (draft-ietf-secsh-filexfer-02; OpenSSH's PROTOCOL for the extensions).
 */
import type { Duplex } from 'node:stream'
import { nameBytes, nameOf } from './file-name.ts'

export const PACKET = {
  INIT: 1,
  VERSION: 2,
  OPEN: 3,
  CLOSE: 4,
  READ: 5,
  WRITE: 6,
  LSTAT: 7,
  FSTAT: 8,
  SETSTAT: 9,
  FSETSTAT: 10,
  OPENDIR: 11,
  READDIR: 12,
  REMOVE: 13,
  MKDIR: 14,
  RMDIR: 15,
  REALPATH: 16,
  STAT: 17,
  RENAME: 18,
  READLINK: 19,
  SYMLINK: 20,
  STATUS: 101,
  HANDLE: 102,
  DATA: 103,
  NAME: 104,
  ATTRS: 105,
  EXTENDED: 200,
  EXTENDED_REPLY: 201,
} as const

export const STATUS = {
  OK: 0,
  EOF: 1,
  NO_SUCH_FILE: 2,
  PERMISSION_DENIED: 3,
  FAILURE: 4,
  BAD_MESSAGE: 5,
  NO_CONNECTION: 6,
  CONNECTION_LOST: 7,
  OP_UNSUPPORTED: 8,
} as const

export const OPEN = { READ: 1, WRITE: 2, APPEND: 4, CREAT: 8, TRUNC: 16, EXCL: 32 } as const

export const VERSION = 3
/** OpenSSH has the same limit in both directions. */
export const MAX_PACKET = 256 * 1024
/** Largest content of a READ or WRITE (OpenSSH answers the same to limits@openssh.com). */
export const MAX_CHUNK = MAX_PACKET - 1024
/** What every server accepts. */
export const SAFE_CHUNK = 32 * 1024

/** An answer other than OK; `code` is one of STATUS. */
export class SftpStatus extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.name = 'SftpStatus'
    this.code = code
  }
}

/** A malformed packet: nothing after it can be trusted. */
export class MalformedPacket extends Error {}

/** What is known, or to be changed, of a file. Times are Unix seconds. */
export interface FileAttributes {
  size?: number
  uid?: number
  gid?: number
  mode?: number
  atime?: number
  mtime?: number
}

export interface DirectoryEntry {
  name: string
  /** A line as `ls -l` prints it. */
  longname: string
  attributes: FileAttributes
}

const ATTRIBUTE = { SIZE: 1, OWNER: 2, MODE: 4, TIMES: 8, EXTENDED: 0x80000000 } as const

const FILE_TYPE = 0o170000
export const isDirectory = ({ mode = 0 }: FileAttributes): boolean => (mode & FILE_TYPE) === 0o040000

/** Reads a packet's fields in turn. Throws MalformedPacket when it is too short. */
export class Fields {
  readonly #packet: Buffer
  #at: number

  constructor(packet: Buffer, at: number) {
    this.#packet = packet
    this.#at = at
  }

  #take(length: number): number {
    const at = this.#at
    if (at + length > this.#packet.length) throw new MalformedPacket('packet is too short')
    this.#at += length
    return at
  }

  get left(): number {
    return this.#packet.length - this.#at
  }

  uint32(): number {
    return this.#packet.readUInt32BE(this.#take(4))
  }

  /** No file is larger than 2^53 bytes. */
  uint64(): number {
    const value = this.#packet.readBigUInt64BE(this.#take(8))
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new MalformedPacket('number is too large')
    return Number(value)
  }

  bytes(): Buffer {
    const length = this.uint32()
    const at = this.#take(length)
    return this.#packet.subarray(at, at + length)
  }

  rest(): Buffer {
    return this.#packet.subarray(this.#take(this.left))
  }

  name(): string {
    return nameOf(this.bytes())
  }

  attributes(): FileAttributes {
    const flags = this.uint32()
    const attributes: FileAttributes = {}
    if (flags & ATTRIBUTE.SIZE) attributes.size = this.uint64()
    if (flags & ATTRIBUTE.OWNER) [attributes.uid, attributes.gid] = [this.uint32(), this.uint32()]
    if (flags & ATTRIBUTE.MODE) attributes.mode = this.uint32()
    if (flags & ATTRIBUTE.TIMES) [attributes.atime, attributes.mtime] = [this.uint32(), this.uint32()]
    if (flags & ATTRIBUTE.EXTENDED) {
      for (let n = this.uint32(); n > 0; n--) {
        this.bytes()
        this.bytes()
      }
    }
    return attributes
  }
}

/** One field of a packet: a number is a uint32; text and bytes are preceded by their length. */
export type Field = number | string | Buffer | { raw: Buffer }

export function uint64(value: number): { raw: Buffer } {
  const raw = Buffer.allocUnsafe(8)
  raw.writeBigUInt64BE(BigInt(value))
  return { raw }
}

export function attributeField({ size, uid, gid, mode, atime, mtime }: FileAttributes): { raw: Buffer } {
  let flags = 0
  const parts: Buffer[] = []
  if (size !== undefined) {
    flags |= ATTRIBUTE.SIZE
    parts.push(uint64(size).raw)
  }
  if (uid !== undefined && gid !== undefined) {
    flags |= ATTRIBUTE.OWNER
    parts.push(uint32(uid), uint32(gid))
  }
  if (mode !== undefined) {
    flags |= ATTRIBUTE.MODE
    parts.push(uint32(mode))
  }
  if (atime !== undefined && mtime !== undefined) {
    flags |= ATTRIBUTE.TIMES
    parts.push(uint32(atime), uint32(mtime))
  }
  return { raw: Buffer.concat([uint32(flags), ...parts]) }
}

function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

/** A whole packet, in pieces: large content is not copied. */
export function packet(type: number, fields: readonly Field[]): Buffer[] {
  const pieces: Buffer[] = [Buffer.from([0, 0, 0, 0, type])]
  for (const field of fields) {
    if (typeof field === 'number') pieces.push(uint32(field))
    else if (typeof field === 'string' || Buffer.isBuffer(field)) {
      const bytes = typeof field === 'string' ? nameBytes(field) : field
      pieces.push(uint32(bytes.length), bytes)
    } else pieces.push(field.raw)
  }
  const length = pieces.reduce((sum, { length: bytes }) => sum + bytes, -4)
  pieces[0]?.writeUInt32BE(length)
  return pieces
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

/** What OpenSSH and ssh2 accept in one SSH packet. */
const BLOCK = 32 * 1024

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

  send(type: number, fields: readonly Field[]): void {
    for (const piece of packet(type, fields)) {
      this.#pieces.push(piece)
      this.#bytes += piece.length
    }
    if (this.#scheduled) return
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
