/** Shapes of the pointer (MS-RDPBCGR 2.2.9.1.1.4, 2.2.9.1.2.1.5 to 11). */
import { INVERTED, NOTHING, type PointerShape } from '../../kinds/desktop/picture/pointer.ts'
import { ProtocolViolation } from '../protocol-violation.ts'
import type { Cursor } from './cursor.ts'
import { pictureColor } from './pixels.ts'

export type PointerUpdate =
  | { kind: 'hidden' | 'default' }
  /** Seldom: a server moves it by itself. */
  | { kind: 'moved'; x: number; y: number }
  | { kind: 'shape'; index: number; shape: PointerShape }
  | { kind: 'known'; index: number }

const FAST = { hidden: 5, default: 6, moved: 8, color: 9, known: 10, new: 11 } as const
const SLOW = { system: 1, moved: 3, color: 6, known: 7, new: 8 } as const
const MAX_SIDE = 96

/** Throws ProtocolViolation. */
export function readPointer(code: number, read: Cursor): PointerUpdate | undefined {
  switch (code) {
    case FAST.hidden:
      return { kind: 'hidden' }
    case FAST.default:
      return { kind: 'default' }
    case FAST.moved:
      return { kind: 'moved', x: read.u16(), y: read.u16() }
    case FAST.color:
      return readShape(read, 24)
    case FAST.new:
      return readShape(read, read.u16())
    case FAST.known:
      return { kind: 'known', index: read.u16() }
    default:
      return undefined
  }
}

/** Throws ProtocolViolation. */
export function readSlowPointer(read: Cursor): PointerUpdate | undefined {
  const type = read.u16()
  read.skip(2)
  switch (type) {
    case SLOW.system:
      return { kind: read.u32() === 0 ? 'hidden' : 'default' }
    case SLOW.moved:
      return readPointer(FAST.moved, read)
    case SLOW.color:
      return readPointer(FAST.color, read)
    case SLOW.known:
      return readPointer(FAST.known, read)
    case SLOW.new:
      return readPointer(FAST.new, read)
    default:
      return undefined
  }
}

function readShape(read: Cursor, bitsPerPixel: number): PointerUpdate {
  const [index, hotX, hotY, width, height] = [read.u16(), read.u16(), read.u16(), read.u16(), read.u16()]
  if (width > MAX_SIDE || height > MAX_SIDE) throw new ProtocolViolation('a pointer larger than was agreed on')
  const [masked, colored] = [read.u16(), read.u16()]
  const colors = read.take(colored)
  const mask = read.take(masked)
  // Rows of both end on two bytes, and the lowest comes first.
  const colorRow = (((width * bitsPerPixel + 7) >> 3) + 1) & ~1
  const maskRow = (((width + 7) >> 3) + 1) & ~1
  if (colors.length < colorRow * height || (bitsPerPixel < 32 && mask.length < maskRow * height))
    throw new ProtocolViolation('a pointer is cut short')
  const pixels = new Int32Array(width * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const row = height - 1 - y
      const isClear = mask.length >= maskRow * height && isSet(mask, row * maskRow, x)
      pixels[y * width + x] = pixelOf(colors, row * colorRow, x, bitsPerPixel, isClear)
    }
  return { kind: 'shape', index, shape: { width, height, hotX, hotY, pixels } }
}

const isSet = (bits: Buffer, start: number, x: number) => ((bits[start + (x >> 3)] as number) & (0x80 >> (x & 7))) !== 0

/** Invisible white inverts, and all else that is invisible is not painted. */
function pixelOf(colors: Buffer, start: number, x: number, bitsPerPixel: number, isClear: boolean): number {
  if (bitsPerPixel === 1) {
    const isWhite = isSet(colors, start, x)
    if (isClear) return isWhite ? INVERTED : NOTHING
    return isWhite ? 0xffffff : 0
  }
  const bytes = (bitsPerPixel + 7) >> 3
  const pixel = colors.readUIntLE(start + x * bytes, bytes)
  // The highest byte says how much of it is to be seen.
  if (bitsPerPixel === 32 && pixel >>> 24 < 0x80) return NOTHING
  if (isClear) return (pixel & 0xffffff) === 0xffffff ? INVERTED : NOTHING
  return pictureColor(bitsPerPixel)(pixel)
}
