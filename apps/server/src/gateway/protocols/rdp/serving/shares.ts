/** Messages about the shared screen, from the server's side (MS-RDPBCGR 2.2.1.13 to 2.2.1.22, 2.2.5.1). */
import { ProtocolViolation } from '../../protocol-violation.ts'
import { Cursor, u16, u32 } from '../cursor.ts'
import { CONTROL, DATA, MAX_UPDATE, POINTER_CACHE } from '../share.ts'
import { USER } from './entrance.ts'

const SERVER = 1002
const SHARE_ID = 0x0001_03ea
const CAPABILITY = { general: 1, bitmap: 2 } as const
const MAX_CAPABILITIES = 64
const [FAST_PATH, LONG_CREDENTIALS, NO_SECOND_HEADER] = [0x0001, 0x0004, 0x0400]
const SKIPS_ALPHA = 0x08
/** Keys by number, characters, more buttons, all of it on the fast path. */
const INPUT = 0x0001 | 0x0004 | 0x0010 | 0x0020

/** Capabilities of a client that matter here. */
export interface Capable {
  hasFastPath: boolean
  /** Pixels may come without the plane that carries nothing. */
  skipsAlpha: boolean
}

/** Offers a screen, without orders, caches and codecs: only areas of pixels come. */
export function demandActive({ width, height }: { width: number; height: number }, bitsPerPixel: number): Buffer {
  const sets = [
    set(9, u16(SERVER, 0)),
    set(
      CAPABILITY.general,
      u16(1, 3, 0x0200, 0, 0, FAST_PATH | LONG_CREDENTIALS | NO_SECOND_HEADER, 0, 0, 0),
      Buffer.of(1, 1),
    ),
    set(CAPABILITY.bitmap, u16(bitsPerPixel, 1, 1, 1, width, height, 0, 1, 1), Buffer.of(0, SKIPS_ALPHA), u16(1, 0)),
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
    set(8, u16(1, POINTER_CACHE, POINTER_CACHE)),
    set(13, u16(INPUT, 0), u32(0, 0, 0, 0), Buffer.alloc(64)),
    set(14, u16(1, 0)),
    set(20, u32(0, 1600)),
    set(26, u32(MAX_UPDATE)),
  ]
  const all = Buffer.concat(sets)
  return control(
    CONTROL.demandActive,
    u32(SHARE_ID),
    u16(4, all.length + 4),
    Buffer.from('RDP\0'),
    u16(sets.length, 0),
    all,
    u32(0),
  )
}

/** Takes the screen back, to offer another. */
export const deactivateAll = (): Buffer => control(CONTROL.deactivateAll, u32(SHARE_ID), u16(1), Buffer.of(0))

/** Throws ProtocolViolation. */
export function readConfirm(body: Buffer): Capable {
  const read = new Cursor(body)
  read.skip(4 + 2)
  const named = read.u16()
  read.skip(2 + named)
  const count = read.u16()
  if (count > MAX_CAPABILITIES) throw new ProtocolViolation('a client that can too much')
  read.skip(2)
  const can: Capable = { hasFastPath: false, skipsAlpha: false }
  for (let n = 0; n < count; n++) {
    const type = read.u16()
    const contents = new Cursor(read.take(read.u16() - 4))
    if (type === CAPABILITY.general) {
      contents.skip(10)
      can.hasFastPath = (contents.u16() & FAST_PATH) !== 0
    } else if (type === CAPABILITY.bitmap) {
      contents.skip(19)
      can.skipsAlpha = (contents.u8() & SKIPS_ALPHA) !== 0
    }
  }
  return can
}

/**
 * Answers of the server to a client that takes up the screen; empty for a message without an
 * answer.
 */
export function takenUp(type: number, contents: Cursor): Buffer[] {
  if (type === DATA.synchronize) return [shareData(DATA.synchronize, u16(1, USER))]
  if (type === DATA.fontList) return [shareData(FONT_MAP, u16(0, 0, 3, 4))]
  if (type !== DATA.control) return []
  const action = contents.u16()
  if (action === COOPERATE) return [shareData(DATA.control, Buffer.concat([u16(COOPERATE, 0), u32(0)]))]
  return action === REQUEST ? [shareData(DATA.control, Buffer.concat([u16(GRANTED, USER), u32(SERVER)]))] : []
}

const FONT_MAP = 40
const [REQUEST, GRANTED, COOPERATE] = [1, 2, 4]

/** Why the client will be sent away, which it shows in its own words. */
export const errorInfo = (reason: number): Buffer => shareData(DATA.errorInfo, u32(reason))

function shareData(type: number, body: Buffer): Buffer {
  return control(CONTROL.data, u32(SHARE_ID), Buffer.of(0, 1), u16(body.length + 4), Buffer.of(type, 0), u16(0), body)
}

function control(type: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([u16(body.length + 6, 0x10 | type, SERVER), body])
}

function set(type: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([u16(type, body.length + 4), body])
}
