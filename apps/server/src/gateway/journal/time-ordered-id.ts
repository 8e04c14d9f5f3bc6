import { randomBytes } from 'node:crypto'

let lastMoment = 0
let count = 0

/**
 * A UUID of version 7 that sorts after all earlier ones of this process (RFC 9562 §6.2, method 1):
 * rows of the same millisecond keep their order.
 */
export function timeOrderedId(): string {
  const now = Math.max(Date.now(), lastMoment)
  count = now === lastMoment ? count + 1 : 0
  lastMoment = count > 0xfff ? now + 1 : now
  if (count > 0xfff) count = 0
  const bytes = randomBytes(16)
  bytes.writeUIntBE(lastMoment, 0, 6)
  bytes.writeUInt16BE(0x7000 | count, 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
