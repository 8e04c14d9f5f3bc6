/** Keys and pointer as clients of RDP send them, on the fast path or the slow one (MS-RDPBCGR 2.2.8.1). */
import { ProtocolViolation } from '../../protocol-violation.ts'
import type { Cursor } from '../cursor.ts'

export interface InputListener {
  /** By its number in set 1; 0x100: of the extended set. */
  key(isDown: boolean, scanCode: number): void
  /** A unit of UTF-16. */
  character(isDown: boolean, unit: number): void
  pointer(flags: number, x: number, y: number): void
  furtherButton(flags: number, x: number, y: number): void
  /** Which keys lock: bits as `TS_FP_SYNC_EVENT` has them. */
  locks(toggled: number): void
}

const FAST = { key: 0, pointer: 1, further: 2, locks: 3, character: 4, relative: 5, quality: 6 } as const
const [RELEASED, EXTENDED, OTHER_EXTENDED] = [1, 2, 4]
const SLOW = { locks: 0, unused: 2, key: 4, character: 5, pointer: 0x8001, further: 0x8002, relative: 0x8004 } as const
const [SLOW_RELEASED, SLOW_EXTENDED, SLOW_OTHER] = [0x8000, 0x0100, 0x0200]

/** A message of the fast path, from its first byte on. Throws ProtocolViolation. */
export function readFastInput(read: Cursor, listener: InputListener): void {
  const head = read.u8()
  if (head & 0xc0) throw new ProtocolViolation('an encryption that nobody agreed on')
  if (read.u8() & 0x80) read.skip(1)
  const count = (head >> 2) & 0xf || read.u8()
  for (let n = 0; n < count; n++) readFastEvent(read, listener)
}

function readFastEvent(read: Cursor, listener: InputListener): void {
  const head = read.u8()
  const [kind, flags] = [head >> 5, head & 0x1f]
  if (kind === FAST.key) {
    const code = read.u8()
    if (!(flags & OTHER_EXTENDED)) listener.key(!(flags & RELEASED), code | (flags & EXTENDED ? 0x100 : 0))
  } else if (kind === FAST.character) listener.character(!(flags & RELEASED), read.u16())
  else if (kind === FAST.pointer) listener.pointer(read.u16(), read.u16(), read.u16())
  else if (kind === FAST.further) listener.furtherButton(read.u16(), read.u16(), read.u16())
  else if (kind === FAST.locks) listener.locks(flags)
  else if (kind === FAST.relative) read.skip(6)
  else if (kind === FAST.quality) read.skip(4)
  else throw new ProtocolViolation('an input that there is not')
}

/** A message of the slow path. Throws ProtocolViolation. */
export function readSlowInput(read: Cursor, listener: InputListener): void {
  const count = read.u16()
  read.skip(2)
  for (let n = 0; n < count; n++) {
    read.skip(4)
    const kind = read.u16()
    const [first, second, third] = [read.u16(), read.u16(), read.u16()]
    if (kind === SLOW.key) {
      if (!(first & SLOW_OTHER)) listener.key(!(first & SLOW_RELEASED), (second & 0xff) | (first & SLOW_EXTENDED))
    } else if (kind === SLOW.character) listener.character(!(first & SLOW_RELEASED), second)
    else if (kind === SLOW.pointer) listener.pointer(first, second, third)
    else if (kind === SLOW.further) listener.furtherButton(first, second, third)
    else if (kind === SLOW.locks) listener.locks(second)
    else if (kind !== SLOW.unused && kind !== SLOW.relative) throw new ProtocolViolation('an input that there is not')
  }
}
