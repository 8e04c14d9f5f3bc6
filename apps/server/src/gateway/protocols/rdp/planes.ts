/** The encoding of bitmaps with 32 bits a pixel: a plane for each color (MS-RDPEGDI 2.2.2.5.1, 3.1.9). */
import { ProtocolViolation } from '../protocol-violation.ts'
import { Cursor } from './cursor.ts'

const LESS_COLOR = 0x07 | 0x08
const RUN_LENGTHS = 0x10
const NO_ALPHA = 0x20

/**
 * Decodes `width * height` pixels, the lowest row first; each is blue, green, red, from the lowest
 * byte on. Throws ProtocolViolation.
 */
export function decodePlanes(data: Buffer, width: number, height: number): Uint32Array {
  const read = new Cursor(data)
  const format = read.u8()
  // Only who asks for fewer colors gets them.
  if (format & LESS_COLOR) throw new ProtocolViolation('a bitmap with fewer colors than were asked for')
  const plane = format & RUN_LENGTHS ? runPlane : rawPlane
  if (!(format & NO_ALPHA)) plane(read, width, height)
  const [red, green, blue] = [plane(read, width, height), plane(read, width, height), plane(read, width, height)]
  const out = new Uint32Array(width * height)
  for (let n = 0; n < out.length; n++)
    out[n] = (blue[n] as number) | ((green[n] as number) << 8) | ((red[n] as number) << 16)
  return out
}

function rawPlane(read: Cursor, width: number, height: number): Uint8Array {
  return read.take(width * height)
}

/** Each row after the first says how it differs from the one before. */
function runPlane(read: Cursor, width: number, height: number): Uint8Array {
  const out = new Uint8Array(width * height)
  for (let row = 0; row < height; row++) {
    const start = row * width
    let at = start
    /** Value that a run repeats: a value in the first row, a difference below. */
    let last = 0
    const put = () => {
      out[at] = row === 0 ? last : (out[at - width] as number) + last
      at++
    }
    while (at < start + width) {
      const head = read.u8()
      const low = head & 0xf
      const high = head >> 4
      const [raw, run] = low === 1 ? [0, high + 16] : low === 2 ? [0, high + 32] : [high, low]
      if (raw + run > start + width - at || raw + run === 0)
        throw new ProtocolViolation('a row of a bitmap with more pixels than it has')
      for (let n = 0; n < raw; n++) {
        const value = read.u8()
        last = row === 0 ? value : value & 1 ? -((value >> 1) + 1) : value >> 1
        put()
      }
      for (let n = 0; n < run; n++) put()
    }
  }
  return out
}
