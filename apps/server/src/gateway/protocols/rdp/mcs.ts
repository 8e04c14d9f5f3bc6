/** The channels of a connection (T.125, as MS-RDPBCGR 2.2.1.3 to 2.2.1.9 narrow it). */
import { ProtocolViolation } from '../protocol-violation.ts'
import { Cursor } from './cursor.ts'
import { framedData } from './framing.ts'

const FIRST_USER = 1001
const TYPE = { disconnect: 8, attachConfirm: 11, joinConfirm: 15, indication: 26 } as const

export const erectDomain = (): Buffer => framedData(Buffer.of(0x04, 1, 0, 1, 0))
export const attachUser = (): Buffer => framedData(Buffer.of(0x28))

export function joinChannel(user: number, channel: number): Buffer {
  return framedData(Buffer.of(0x38), be(user - FIRST_USER), be(channel))
}

/** Data for a channel: at most 16 kB, as the length of PER has it. */
export function sendData(user: number, channel: number, ...parts: Buffer[]): Buffer {
  const data = Buffer.concat(parts)
  return framedData(
    Buffer.of(0x64),
    be(user - FIRST_USER),
    be(channel),
    Buffer.of(0x70),
    be(data.length | 0x8000),
    data,
  )
}

/** The number that the server gave to the gateway. Throws ProtocolViolation. */
export function readAttached(mcs: Buffer): number {
  const read = new Cursor(mcs)
  if (read.u8() >> 2 !== TYPE.attachConfirm || read.u8() !== 0)
    throw new ProtocolViolation('the server takes nobody in')
  return read.u16BE() + FIRST_USER
}

/** Throws ProtocolViolation. */
export function readJoined(mcs: Buffer): void {
  const read = new Cursor(mcs)
  if (read.u8() >> 2 !== TYPE.joinConfirm || read.u8() !== 0) throw new ProtocolViolation('a channel is refused')
}

/** Data of a channel; undefined when the server takes its leave. Throws ProtocolViolation. */
export function readIndication(mcs: Buffer): { channel: number; data: Buffer } | undefined {
  const read = new Cursor(mcs)
  const type = read.u8() >> 2
  if (type === TYPE.disconnect) return undefined
  if (type !== TYPE.indication) throw new ProtocolViolation(`message ${type} of MCS`)
  read.skip(2)
  const channel = read.u16BE()
  read.skip(1)
  return { channel, data: read.take(readPerLength(read)) }
}

/** A length in packed encoding. Throws ProtocolViolation. */
export function readPerLength(read: Cursor): number {
  const first = read.u8()
  if (!(first & 0x80)) return first
  if (first & 0x40) throw new ProtocolViolation('a message of RDP in fragments of PER')
  return ((first & 0x3f) << 8) | read.u8()
}

function be(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
