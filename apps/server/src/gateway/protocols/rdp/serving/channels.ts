/** Channels of a connection (T.125), from the server's side. */
import { ProtocolViolation } from '../../protocol-violation.ts'
import { Cursor } from '../cursor.ts'
import { framedData } from '../framing.ts'
import { readPerLength } from '../mcs.ts'
import { USER } from './entrance.ts'

const FIRST_USER = 1001
const TYPE = { erect: 1, disconnect: 8, attach: 10, join: 14, data: 25 } as const

/** Messages of a client about its channels. */
export type ChannelMessage =
  | { is: 'attach' | 'disconnect' | 'erect' }
  | { is: 'join'; channel: number }
  | { is: 'data'; channel: number; data: Buffer }

/** Throws ProtocolViolation. */
export function readChannelMessage(mcs: Buffer): ChannelMessage {
  const read = new Cursor(mcs)
  const type = read.u8() >> 2
  if (type === TYPE.erect) return { is: 'erect' }
  if (type === TYPE.attach) return { is: 'attach' }
  if (type === TYPE.disconnect) return { is: 'disconnect' }
  if (type !== TYPE.join && type !== TYPE.data) throw new ProtocolViolation(`message ${type} of MCS`)
  read.skip(2)
  const channel = read.u16BE()
  if (type === TYPE.join) return { is: 'join', channel }
  read.skip(1)
  return { is: 'data', channel, data: read.take(readPerLength(read)) }
}

export const attached = (): Buffer => framedData(Buffer.of(0x2e, 0), be(USER - FIRST_USER))

export const joined = (channel: number): Buffer =>
  framedData(Buffer.of(0x3e, 0), be(USER - FIRST_USER), be(channel), be(channel))

/** Data of a channel: at most 16 kB, as the length of PER has it. */
export function indication(channel: number, data: Buffer): Buffer {
  return framedData(
    Buffer.of(0x68),
    be(USER - FIRST_USER),
    be(channel),
    Buffer.of(0x70),
    be(data.length | 0x8000),
    data,
  )
}

/** The server takes its leave by itself (`rn-provider-initiated`). */
export const farewell = (): Buffer => framedData(Buffer.of(0x20, 0x80))

function be(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
