/** Areas of a picture as bitmaps of RDP (MS-RDPBCGR 2.2.9.1.1.3.1.2.2), none of which loses anything but bits of color. */
import { type Area, type Picture, TILE } from '../../../kinds/desktop/picture/picture.ts'
import { u16 } from '../cursor.ts'
import { encodePlanes } from './plane-encoder.ts'

export interface PixelDepth {
  bitsPerPixel: 16 | 24 | 32
  /** See `Capable`. */
  skipsAlpha: boolean
}

const COMPRESSED = 0x0001
const NO_SECOND_HEADER = 0x0400

/** Appends an area, at most `TILE` high, as bitmaps that each fit into a message. */
export function encodeBitmaps(picture: Picture, area: Area, depth: PixelDepth, into: Buffer[]): void {
  const end = area.x + area.width
  for (let x = area.x; x < end; x += TILE)
    into.push(bitmap(picture, { ...area, x, width: Math.min(TILE, end - x) }, depth))
}

/** Rows are filled up to four pixels, which clients of any age read. */
function bitmap(picture: Picture, area: Area, { bitsPerPixel, skipsAlpha }: PixelDepth): Buffer {
  const { x, y, height } = area
  const width = (area.width + 3) & ~3
  const pixels = lowestFirst(picture, area, width)
  const isWhole = bitsPerPixel === 32
  const data = isWhole ? encodePlanes(pixels, width, height, skipsAlpha) : plain(pixels, bitsPerPixel)
  const flags = isWhole ? COMPRESSED | NO_SECOND_HEADER : 0
  return Buffer.concat([
    u16(x, y, x + area.width - 1, y + height - 1, width, height, bitsPerPixel, flags, data.length),
    data,
  ])
}

function lowestFirst({ pixels, width: stride }: Picture, { x, y, width, height }: Area, filled: number): Uint32Array {
  const out = new Uint32Array(filled * height)
  let to = 0
  for (let row = y + height - 1; row >= y; row--) {
    const from = row * stride + x
    out.set(pixels.subarray(from, from + width), to)
    out.fill(pixels[from + width - 1] as number, to + width, to + filled)
    to += filled
  }
  return out
}

/** A picture's red is in its lowest byte; that of RDP in the highest. */
function plain(pixels: Uint32Array, bitsPerPixel: 16 | 24): Buffer {
  const bytes = bitsPerPixel / 8
  const out = Buffer.alloc(pixels.length * bytes)
  let to = 0
  for (const pixel of pixels) {
    const [red, green, blue] = [pixel & 0xff, (pixel >> 8) & 0xff, (pixel >> 16) & 0xff]
    if (bytes === 2) out.writeUInt16LE(((red >> 3) << 11) | ((green >> 2) << 5) | (blue >> 3), to)
    else out.writeUIntLE((red << 16) | (green << 8) | blue, to, 3)
    to += bytes
  }
  return out
}
