/**
 * First messages of a client of RDP, and their answers (MS-RDPBCGR 2.2.1.1 to 2.2.1.4), from the
 * server's side.
 */
import { ProtocolViolation } from '../../protocol-violation.ts'
import { Cursor, u16, u32 } from '../cursor.ts'
import { framed, framedData } from '../framing.ts'
import { readPerLength } from '../mcs.ts'

const REQUEST = 0xe0
const CONFIRM = 0xd0
const [NEGOTIATION, RESPONSE, FAILURE] = [1, 2, 3]
const MAX_CHANNELS = 31
/** Number of the first channel beside the screen's; that one, and the client's own number. */
const FIRST_CHANNEL = 1004
export const SCREEN_CHANNEL = 1003
export const USER = 1100

/** The ways to protect the connection that a client knows; none where it does not say. Throws ProtocolViolation. */
export function readRequest(message: Buffer): number {
  const read = new Cursor(message, 5)
  if (message[0] !== 3 || (read.u8() & 0xf0) !== REQUEST) throw new ProtocolViolation('this is no client of RDP')
  read.skip(5)
  // Its routing token, or a name, which says nothing: then the client's capabilities.
  const rest = read.rest()
  const end = rest.indexOf('\r\n')
  const asked = new Cursor(end < 0 ? rest : rest.subarray(end + 2))
  if (asked.left < 8 || asked.u8() !== NEGOTIATION) return 0
  asked.skip(3)
  return asked.u32()
}

export const confirmed = (protocol: number): Buffer => answer(RESPONSE, protocol)
export const refused = (reason: number): Buffer => answer(FAILURE, reason)

function answer(type: number, value: number): Buffer {
  const body = Buffer.concat([Buffer.of(type, 0), u16(8), u32(value)])
  return framed(Buffer.of(6 + body.length, CONFIRM, 0, 0, 0, 0, 0), body)
}

/** A client's description of itself. */
export interface ClientWords {
  width: number
  height: number
  /** Bits of a pixel that it wants. */
  bitsPerPixel: 16 | 24 | 32
  /** It shows why it is sent away. */
  knowsReasons: boolean
  /** The client's name for its machine. */
  name: string
  /** Names of the channels that it wants beside the screen's, in order. */
  channels: readonly string[]
}

const BLOCK = { core: 0xc001, network: 0xc003 } as const
const WANTS_REASONS = 0x0001
const WANTS_32_BITS = 0x0002

/** Throws ProtocolViolation. */
export function readInitial(mcs: Buffer): ClientWords {
  if (new Cursor(mcs).u16BE() !== 0x7f65) throw new ProtocolViolation('no conference is asked for')
  const at = mcs.indexOf('Duca')
  if (at < 0) throw new ProtocolViolation('no conference is asked for')
  const data = new Cursor(mcs, at + 4)
  const blocks = new Cursor(data.take(readPerLength(data)))
  let words: Omit<ClientWords, 'channels'> | undefined
  let channels: string[] = []
  while (blocks.left >= 4) {
    const type = blocks.u16()
    const contents = new Cursor(blocks.take(blocks.u16() - 4))
    if (type === BLOCK.core) words = readCore(contents)
    else if (type === BLOCK.network) channels = readChannels(contents)
  }
  if (!words) throw new ProtocolViolation('a client that says nothing of itself')
  return { ...words, channels }
}

function readCore(read: Cursor): Omit<ClientWords, 'channels'> {
  read.skip(4)
  const [width, height] = [read.u16(), read.u16()]
  read.skip(2 + 2 + 4 + 4)
  const name = read.take(32).toString('utf16le').split('\0', 1)[0] ?? ''
  read.skip(4 + 4 + 4 + 64)
  const [depth, flags] = read.left >= 14 ? readDepth(read) : [16, 0]
  const bitsPerPixel = flags & WANTS_32_BITS ? 32 : depth >= 24 ? 24 : 16
  return { width, height, bitsPerPixel, name, knowsReasons: (flags & WANTS_REASONS) !== 0 }
}

function readDepth(read: Cursor): [depth: number, flags: number] {
  read.skip(2 + 2 + 4)
  const depth = read.u16()
  read.skip(2)
  return [depth, read.u16()]
}

function readChannels(read: Cursor): string[] {
  const count = read.u32()
  if (count > MAX_CHANNELS) throw new ProtocolViolation('too many channels')
  return Array.from({ length: count }, () => {
    const name = read.take(8).toString('latin1').split('\0', 1)[0] ?? ''
    read.skip(4)
    return name.toLowerCase()
  })
}

/** Number of the channel of that name; undefined where the client does not have it. */
export function channelOf(name: string, { channels }: Pick<ClientWords, 'channels'>): number | undefined {
  const at = channels.indexOf(name)
  return at < 0 ? undefined : FIRST_CHANNEL + at
}

/** The channels, each with a number; nothing is protected inside of TLS. `asked`: what the client has asked for first. */
export function connectResponse({ channels }: Pick<ClientWords, 'channels'>, asked: number): Buffer {
  const numbers = channels.map((_, n) => FIRST_CHANNEL + n)
  const blocks = Buffer.concat([
    block(0x0c01, u32(0x00080004, asked, 0)),
    block(0x0c03, u16(SCREEN_CHANNEL, numbers.length, ...numbers, ...(numbers.length % 2 ? [0] : []))),
    block(0x0c02, u32(0, 0)),
  ])
  const conference = Buffer.concat([
    Buffer.from('000500147c00012a14760a01010001c000', 'hex'),
    Buffer.from('McDn'),
    Buffer.of(0x80 | (blocks.length >> 8), blocks.length & 0xff),
    blocks,
  ])
  const body = Buffer.concat([
    Buffer.from('0a0100020100', 'hex'),
    // 34 channels, 3 users, no tokens, one priority, messages of 65,528 bytes.
    Buffer.from('301a020122020103020100020101020100020101020300fff8020102', 'hex'),
    Buffer.of(0x04, 0x82, conference.length >> 8, conference.length & 0xff),
    conference,
  ])
  return framedData(Buffer.of(0x7f, 0x66, 0x82, body.length >> 8, body.length & 0xff), body)
}

function block(type: number, body: Buffer): Buffer {
  return Buffer.concat([u16(type, body.length + 4), body])
}
