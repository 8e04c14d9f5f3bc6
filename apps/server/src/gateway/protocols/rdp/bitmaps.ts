/** Areas of pixels that a server paints (MS-RDPBCGR 2.2.9.1.1.3.1.2). */
import type { Area, Picture } from '../../kinds/desktop/picture/picture.ts'
import { ProtocolViolation } from '../protocol-violation.ts'
import type { Cursor } from './cursor.ts'
import { pictureColor } from './pixels.ts'
import { decodePlanes } from './planes.ts'
import { decodeRuns } from './run-lengths.ts'

const COMPRESSED = 0x0001
const NO_SECOND_HEADER = 0x0400
const UPDATE_OF_BITMAPS = 1
/** Servers send far smaller ones; decoding one takes seven bytes a pixel for a moment. */
const MAX_PIXELS = 1024 * 1024

interface Bitmap {
  /** Place on the screen; the bitmap may be wider, to fill up its rows. */
  area: Area
  width: number
  height: number
  bitsPerPixel: number
  isCompressed: boolean
  data: Buffer
}

/** Bitmaps of an update. Throws ProtocolViolation. */
export function* readBitmaps(read: Cursor): Generator<Bitmap> {
  if (read.u16() !== UPDATE_OF_BITMAPS) return
  for (let left = read.u16(); left > 0; left--) {
    const [x, y, right, bottom] = [read.u16(), read.u16(), read.u16(), read.u16()]
    const [width, height, bitsPerPixel, flags] = [read.u16(), read.u16(), read.u16(), read.u16()]
    const isCompressed = (flags & COMPRESSED) !== 0
    let length = read.u16()
    if (isCompressed && !(flags & NO_SECOND_HEADER)) {
      read.skip(8)
      length -= 8
    }
    const area = { x, y, width: right - x + 1, height: bottom - y + 1 }
    yield { area, width, height, bitsPerPixel, isCompressed, data: read.take(length) }
  }
}

/** Paints a bitmap, as far as it is on the screen. Answers where; undefined for nowhere. Throws ProtocolViolation. */
export function paint(picture: Picture, bitmap: Bitmap): Area | undefined {
  const { area, width, height, bitsPerPixel } = bitmap
  const { x, y } = area
  const shown = {
    x,
    y,
    width: Math.min(area.width, width, picture.width - x),
    height: Math.min(area.height, height, picture.height - y),
  }
  if (shown.width <= 0 || shown.height <= 0) return undefined
  if (width * height > MAX_PIXELS) throw new ProtocolViolation('a bitmap that is too large')
  const color = pictureColor(bitsPerPixel)
  const from = pixelsOf(bitmap)
  const to = picture.pixels
  for (let row = 0; row < shown.height; row++) {
    let source = (height - 1 - row) * width
    let target = (y + row) * picture.width + x
    for (let n = 0; n < shown.width; n++) to[target++] = color(from[source++] as number)
  }
  return shown
}

/** The lowest row first. */
function pixelsOf({ width, height, bitsPerPixel, isCompressed, data }: Bitmap): Uint32Array {
  if (isCompressed)
    return bitsPerPixel === 32 ? decodePlanes(data, width, height) : decodeRuns(data, width, height, bitsPerPixel)
  const bytes = (bitsPerPixel + 7) >> 3
  // Rows end on four bytes.
  const row = (width * bytes + 3) & ~3
  const isFilledUp = data.length >= row * height
  const step = isFilledUp ? row : width * bytes
  if (data.length < step * height) throw new ProtocolViolation('a bitmap is cut short')
  const out = new Uint32Array(width * height)
  for (let n = 0; n < out.length; n++)
    out[n] = data.readUIntLE(Math.floor(n / width) * step + (n % width) * bytes, bytes)
  return out
}
