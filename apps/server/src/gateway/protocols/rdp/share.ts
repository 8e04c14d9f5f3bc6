/** Messages about the shared screen, and what both sides can do (MS-RDPBCGR 2.2.1.13 to 2.2.1.22, 2.2.7, 2.2.8.1.1). */
import { ProtocolViolation } from '../protocol-violation.ts'
import { KEYBOARD, KEYBOARD_LAYOUT } from './conference.ts'
import { Cursor, u16, u32 } from './cursor.ts'

export const CONTROL = { demandActive: 1, confirmActive: 3, deactivateAll: 6, data: 7, redirection: 10 } as const
export const DATA = {
  update: 2,
  control: 20,
  pointer: 27,
  synchronize: 31,
  refresh: 33,
  fontList: 39,
  errorInfo: 47,
} as const

/** Sender of all share messages, as the server numbers it. */
const SERVER = 1002
const CAPABILITY = { bitmap: 2, input: 13 } as const
const UNICODE_KEYS = 0x0010
/** Pieces of an update are put together up to so much. */
export const MAX_UPDATE = 1024 * 1024
const MAX_CAPABILITIES = 64

/** The screen that a server offers. */
export interface Demand {
  shareId: number
  width: number
  height: number
  bitsPerPixel: number
  /** It takes characters, besides keys. */
  takesUnicode: boolean
}

/** Messages in what came on the screen's channel; some servers put several into one piece. Throws ProtocolViolation. */
export function* shareMessages(data: Buffer): Generator<{ type: number; body: Buffer }> {
  const read = new Cursor(data)
  while (read.left >= 6) {
    const length = read.u16()
    // A flow message, which nobody uses any more: nothing follows it.
    if (length === 0x8000) return
    const type = read.u16() & 0xf
    read.skip(2)
    yield { type, body: read.take(length - 6) }
  }
}

/** Throws ProtocolViolation. */
export function readDemand(body: Buffer): Demand {
  const read = new Cursor(body)
  const shareId = read.u32()
  const named = read.u16()
  read.skip(2 + named)
  const count = read.u16()
  if (count > MAX_CAPABILITIES) throw new ProtocolViolation('a server that can too much')
  read.skip(2)
  const demand: Demand = { shareId, width: 0, height: 0, bitsPerPixel: 0, takesUnicode: false }
  for (let n = 0; n < count; n++) {
    const type = read.u16()
    const contents = new Cursor(read.take(read.u16() - 4))
    if (type === CAPABILITY.bitmap) {
      demand.bitsPerPixel = contents.u16()
      contents.skip(6)
      demand.width = contents.u16()
      demand.height = contents.u16()
    } else if (type === CAPABILITY.input) demand.takesUnicode = (contents.u16() & UNICODE_KEYS) !== 0
  }
  if (!demand.width || !demand.height) throw new ProtocolViolation('a screen without a size')
  return demand
}

/** Messages that take up the offered screen, each for a piece of its own. */
export function takeUp(demand: Demand, user: number): Buffer[] {
  const { shareId } = demand
  const data = (type: number, body: Buffer) => shareData(shareId, user, type, body)
  return [
    confirmActive(demand, user),
    data(DATA.synchronize, u16(1, SERVER)),
    data(DATA.control, Buffer.concat([u16(4, 0), u32(0)])),
    data(DATA.control, Buffer.concat([u16(1, 0), u32(0)])),
    data(DATA.fontList, u16(0, 0, 3, 50)),
  ]
}

/** Asks for the whole screen. */
export function refresh({ shareId, width, height }: Demand, user: number): Buffer {
  return shareData(
    shareId,
    user,
    DATA.refresh,
    Buffer.concat([Buffer.of(1, 0, 0, 0), u16(0, 0, width - 1, height - 1)]),
  )
}

/** Content of a data message. Throws ProtocolViolation, also for one that is compressed. */
export function readShareData(body: Buffer): { type: number; contents: Buffer } {
  const read = new Cursor(body)
  read.skip(8)
  const type = read.u8()
  if (read.u8() & 0x20) throw new ProtocolViolation('a compressed message, which nobody asked for')
  read.skip(2)
  return { type, contents: read.rest() }
}

function confirmActive({ shareId, width, height, bitsPerPixel }: Demand, user: number): Buffer {
  const sets = capabilities(width, height, bitsPerPixel)
  const name = Buffer.from('sallyport\0')
  const all = Buffer.concat(sets)
  return control(
    CONTROL.confirmActive,
    user,
    u32(shareId),
    u16(SERVER, name.length, all.length + 4),
    name,
    u16(sets.length, 0),
    all,
  )
}

/** No drawing orders, no caches, no codecs: what comes are areas of pixels. */
function capabilities(width: number, height: number, bitsPerPixel: number): Buffer[] {
  const set = (type: number, ...parts: Buffer[]) => {
    const body = Buffer.concat(parts)
    return Buffer.concat([u16(type, body.length + 4), body])
  }
  const [kind, subKind, functionKeys] = KEYBOARD
  return [
    // General: the fast path, and bitmaps without a second header.
    set(1, u16(1, 3, 0x0200, 0, 0, 0x0405, 0, 0, 0), Buffer.of(1, 1)),
    // Bitmaps: compressed, of another size at any time, without transparency.
    set(2, u16(bitsPerPixel, 1, 1, 1, width, height, 0, 1, 1), Buffer.of(0, 0x08), u16(1, 0)),
    // Orders: none.
    set(
      3,
      Buffer.alloc(16),
      u32(0),
      u16(1, 20, 0, 1, 0, 0x000a),
      Buffer.alloc(32),
      u16(0, 0),
      u32(0, 0),
      u16(0, 0, 0, 0),
    ),
    // Cache of bitmaps: none.
    set(4, Buffer.alloc(36)),
    // Input: keys by number, characters, more than three buttons, all on the fast path.
    set(
      13,
      u16(0x0001 | 0x0004 | UNICODE_KEYS | 0x0020, 0),
      u32(KEYBOARD_LAYOUT, kind, subKind, functionKeys),
      Buffer.alloc(64),
    ),
    // Shapes of the pointer, in color.
    set(8, u16(1, POINTER_CACHE, POINTER_CACHE)),
    // Brushes, letters and pictures beside the screen: none.
    set(15, u32(0)),
    set(16, Buffer.alloc(48)),
    set(17, u32(0), u16(0, 0)),
    // Channels beside the screen: not compressed.
    set(20, u32(0, 1600)),
    // Sound: none.
    set(12, u16(0, 0)),
    set(26, u32(MAX_UPDATE)),
  ]
}

/** Shapes of the pointer that a server may name by their number. */
export const POINTER_CACHE = 25

function shareData(shareId: number, user: number, type: number, body: Buffer): Buffer {
  return control(
    CONTROL.data,
    user,
    u32(shareId),
    Buffer.of(0, 1),
    u16(body.length + 4),
    Buffer.of(type, 0),
    u16(0),
    body,
  )
}

function control(type: number, user: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([u16(body.length + 6, 0x10 | type, user), body])
}
