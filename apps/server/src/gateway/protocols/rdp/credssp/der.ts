/** As much of DER as CredSSP takes. */
import { ProtocolViolation } from '../../protocol-violation.ts'
import { Cursor } from '../cursor.ts'

export const TAG = { integer: 0x02, bitString: 0x03, octets: 0x04, sequence: 0x30 } as const

export function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const size =
    body.length < 0x80
      ? Buffer.of(body.length)
      : body.length < 0x100
        ? Buffer.of(0x81, body.length)
        : Buffer.of(0x82, body.length >> 8, body.length & 0xff)
  return Buffer.concat([Buffer.of(tag), size, body])
}

/** A field of a sequence, with its number. */
export const field = (n: number, ...parts: Buffer[]): Buffer => der(0xa0 | n, ...parts)
export const octets = (bytes: Buffer): Buffer => der(TAG.octets, bytes)
export const integer = (value: number): Buffer => der(TAG.integer, Buffer.of(value))

/** The length that begins there; undefined while it is not whole. Throws ProtocolViolation. */
export function lengthAt(bytes: Buffer, at: number): { value: number; end: number } | undefined {
  const first = bytes[at]
  if (first === undefined) return undefined
  if (first < 0x80) return { value: first, end: at + 1 }
  const size = first & 0x7f
  if (size < 1 || size > 3) throw new ProtocolViolation('a length that is too long')
  return bytes.length < at + 1 + size ? undefined : { value: bytes.readUIntBE(at + 1, size), end: at + 1 + size }
}

/** The contents of the next value, which has that tag. Throws ProtocolViolation. */
export function expectDer(read: Cursor, tag: number): Cursor {
  const next = nextDer(read)
  if (next.tag !== tag) throw new ProtocolViolation('another kind of value than is due')
  return next.contents
}

/** The next value. Throws ProtocolViolation. */
export function nextDer(read: Cursor): { tag: number; contents: Cursor } {
  const tag = read.u8()
  const first = read.u8()
  if (first < 0x80) return { tag, contents: new Cursor(read.take(first)) }
  const size = first & 0x7f
  if (size < 1 || size > 3) throw new ProtocolViolation('a length that is too long')
  return { tag, contents: new Cursor(read.take(read.take(size).readUIntBE(0, size))) }
}
