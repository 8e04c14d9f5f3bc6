/**
 * SFTP version 3 on the wire (draft-ietf-secsh-filexfer-02; OpenSSH's PROTOCOL for the extensions).
 */
import { nameOf } from './file-name.ts'

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
/** Length that every server accepts, in bytes. */
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

/** Attributes of a file, known or to be changed. Times are Unix seconds. */
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

/** Which attributes follow. */
export const ATTRIBUTE = { SIZE: 1, OWNER: 2, MODE: 4, TIMES: 8, EXTENDED: 0x80000000 } as const

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
    const at = this.#take(8)
    const value = this.#packet.readUInt32BE(at) * 2 ** 32 + this.#packet.readUInt32BE(at + 4)
    if (value > Number.MAX_SAFE_INTEGER) throw new MalformedPacket('number is too large')
    return value
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
