import { ProtocolViolation } from '../protocol-violation.ts'

/** Reads a message from its beginning on, never past its end. Numbers are little-endian, as in most of RDP. */
export class Cursor {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes
    this.#at = at
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  u8(): number {
    return this.take(1)[0] as number
  }

  u16(): number {
    return this.take(2).readUInt16LE()
  }

  u32(): number {
    return this.take(4).readUInt32LE()
  }

  /** A number beyond whole ones loses its last digits. */
  u64(): number {
    return Number(this.take(8).readBigUInt64LE())
  }

  /** In the order of networks, as T.125 has it. */
  u16BE(): number {
    return this.take(2).readUInt16BE()
  }

  take(bytes: number): Buffer {
    if (!(bytes >= 0 && bytes <= this.left)) throw new ProtocolViolation('a message of RDP is cut short')
    this.#at += bytes
    return this.#bytes.subarray(this.#at - bytes, this.#at)
  }

  skip(bytes: number): void {
    this.take(bytes)
  }

  rest(): Buffer {
    return this.take(this.left)
  }
}

export const u16 = (...values: number[]): Buffer => numbers(values, 2)
export const u32 = (...values: number[]): Buffer => numbers(values, 4)

export function u64(...values: number[]): Buffer {
  const all = Buffer.alloc(values.length * 8)
  for (const [n, value] of values.entries()) all.writeBigUInt64LE(BigInt(value), n * 8)
  return all
}

function numbers(values: number[], bytes: 2 | 4): Buffer {
  const all = Buffer.alloc(values.length * bytes)
  for (const [n, value] of values.entries()) all.writeUIntLE(value, n * bytes, bytes)
  return all
}

/** Text in UTF-16 of exactly so many bytes, the last two of which are 0. */
export function fixedText(text: string, bytes: number): Buffer {
  const all = Buffer.alloc(bytes)
  all.write(text.slice(0, bytes / 2 - 1), 'utf16le')
  return all
}
