/**
 * First messages of both sides: MCS Connect Initial and Response, with GCC in them (MS-RDPBCGR
 * 2.2.1.3, 2.2.1.4).
 */
import { ProtocolViolation } from '../protocol-violation.ts'
import { Cursor, fixedText, u16, u32 } from './cursor.ts'
import { framedData } from './framing.ts'
import { readPerLength } from './mcs.ts'

/** Letters where the keys of a keyboard from the United States have them: keys are sent by what is on them. */
export const KEYBOARD_LAYOUT = 0x409
/** IBM's enhanced keyboard, with 12 function keys. */
export const KEYBOARD = [4, 0, 12] as const

const BLOCK = { clientCore: 0xc001, clientSecurity: 0xc002, clientNetwork: 0xc003, clientCluster: 0xc004 } as const
const SERVER_SECURITY = 0x0c02
const SERVER_NETWORK = 0x0c03
/** 15, 16, 24 and 32 bits a pixel. */
const COLOR_DEPTHS = 0x0f
/** Says why it ends, takes 32 bits a pixel, says what kind of line it is. */
const EARLY = 0x0001 | 0x0002 | 0x0020
const LOCAL_NETWORK = 6
/** Initialized, and shown to the program on its own. */
const CHANNEL_OPTIONS = 0xc0200000
/** The session of the machine's own screen (`mstsc /admin`). */
const ADMIN_SESSION = 0x02 | 0x01 | (3 << 2)

export interface ConnectRequest {
  width: number
  height: number
  /** Per cent by which letters and buttons are to be larger, from 100 to 500. */
  scale?: number | undefined
  /** The server's choice to protect the connection: it compares. */
  selected: number
  /** Names of channels beside the screen's. */
  channels: readonly string[]
  isAdmin: boolean
}

export interface ServerChannels {
  /** The screen's, with keys and pointer. */
  screen: number
  /** In the order in which they were named. */
  others: readonly number[]
}

export function connectInitial(request: ConnectRequest): Buffer {
  const blocks = Buffer.concat([
    core(request),
    ...(request.isAdmin ? [block(BLOCK.clientCluster, u32(ADMIN_SESSION, 0))] : []),
    block(BLOCK.clientSecurity, u32(0, 0)),
    block(BLOCK.clientNetwork, u32(request.channels.length), ...request.channels.map(channel)),
  ])
  const conference = Buffer.concat([
    Buffer.from('000500147c0001', 'hex'),
    perLength(blocks.length + 14),
    Buffer.from('000800100001c000', 'hex'),
    Buffer.from('Duca'),
    perLength(blocks.length),
    blocks,
  ])
  const body = Buffer.concat([
    ber(0x04, Buffer.of(1)),
    ber(0x04, Buffer.of(1)),
    ber(0x01, Buffer.of(0xff)),
    parameters(34, 2, 0, 1, 0, 1, 0xffff, 2),
    parameters(1, 1, 1, 1, 0, 1, 0x420, 2),
    parameters(0xffff, 0xfc17, 0xffff, 1, 0, 1, 0xffff, 2),
    ber(0x04, conference),
  ])
  return framedData(Buffer.of(0x7f), ber(0x65, body))
}

/** The channels that the server has opened. Throws ProtocolViolation. */
export function readConnectResponse(mcs: Buffer): ServerChannels {
  const read = new Cursor(mcs)
  if (read.u16BE() !== 0x7f66) throw new ProtocolViolation('no answer to a conference')
  readBerLength(read)
  if (read.u8() !== 0x0a || readBerLength(read) !== 1 || read.u8() !== 0)
    throw new ProtocolViolation('the server refuses the conference')
  const at = mcs.indexOf('McDn')
  if (at < 0) throw new ProtocolViolation('no answer to a conference')
  const blocks = new Cursor(mcs, at + 4)
  return readBlocks(new Cursor(blocks.take(readPerLength(blocks))))
}

function readBlocks(read: Cursor): ServerChannels {
  let channels: ServerChannels | undefined
  while (read.left) {
    const type = read.u16()
    const contents = new Cursor(read.take(read.u16() - 4))
    if (type === SERVER_SECURITY && contents.u32() !== 0)
      throw new ProtocolViolation('a protection of its own inside TLS')
    if (type !== SERVER_NETWORK) continue
    const screen = contents.u16()
    const count = contents.u16()
    channels = { screen, others: Array.from({ length: count }, () => contents.u16()) }
  }
  if (!channels) throw new ProtocolViolation('a server without channels')
  return channels
}

function core({ width, height, scale = 100, selected }: ConnectRequest): Buffer {
  return block(
    BLOCK.clientCore,
    u32(0x00080004),
    u16(width, height, 0xca01, 0xaa03),
    u32(KEYBOARD_LAYOUT, 2600),
    fixedText('sallyport', 32),
    u32(...KEYBOARD),
    Buffer.alloc(64),
    u16(0xca01, 1),
    u32(0),
    u16(24, COLOR_DEPTHS, EARLY),
    Buffer.alloc(64),
    Buffer.of(LOCAL_NETWORK, 0),
    u32(selected),
    // As large as it may be, upright; scaled, of which the second is for programs of Windows 8 alone.
    u32(0, 0),
    u16(0),
    u32(scale, 100),
  )
}

function channel(name: string): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.write(name, 'latin1')
  return Buffer.concat([bytes, u32(CHANNEL_OPTIONS)])
}

function block(type: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([u16(type, body.length + 4), body])
}

/** A length over 127, in the two-byte form. */
function perLength(length: number): Buffer {
  return Buffer.of(0x80 | (length >> 8), length & 0xff)
}

function parameters(...values: number[]): Buffer {
  return ber(
    0x30,
    Buffer.concat(
      values.map((value) => ber(0x02, value > 0x7f ? Buffer.of(0, value >> 8, value & 0xff) : Buffer.of(value))),
    ),
  )
}

function ber(tag: number, contents: Buffer): Buffer {
  const { length } = contents
  const size = length < 0x80 ? Buffer.of(length) : Buffer.of(0x82, length >> 8, length & 0xff)
  return Buffer.concat([Buffer.of(tag), size, contents])
}

function readBerLength(read: Cursor): number {
  const first = read.u8()
  if (first < 0x80) return first
  if (first > 0x82) throw new ProtocolViolation('a length that is too long')
  return first === 0x81 ? read.u8() : read.u16BE()
}
