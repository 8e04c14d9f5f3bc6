import { deflateSync } from 'node:zlib'
import { type Area, type Picture, TILE } from './picture.ts'

/** Encoding `Tight` (https://github.com/rfbproto/rfbproto/blob/master/rfbproto.rst). */
export const TIGHT = 7
/** One color. */
const FILL = 0x80
/** Stream 0, which is reset: what follows can be read without what went before. */
const ANEW = 0x01
const WITH_FILTER = 0x40
const PALETTE_FILTER = 1
const MAX_COLORS = 256
/** Shorter data is sent as it is. */
const MIN_DEFLATED = 12
/** Fast, and most of what there is to gain on a desktop. */
const LEVEL = 2

/** Appends an area, at most one tile high, as rectangles that can be read on their own. */
export function encodeArea(picture: Picture, area: Area, into: Buffer[]): void {
  const end = area.x + area.width
  let x = area.x
  while (x < end) {
    const from = x
    const pixel = solid(picture, tileAt(area, x))
    x = Math.min(x + TILE, end)
    while (x < end && solid(picture, tileAt(area, x)) === pixel) x = Math.min(x + TILE, end)
    const part = { ...area, x: from, width: x - from }
    into.push(pixel === undefined ? colors(picture, part) : filled(part, pixel))
  }
}

function tileAt(area: Area, x: number): Area {
  return { ...area, x, width: Math.min(TILE, area.x + area.width - x) }
}

/** The only color of an area; undefined where there are several. */
function solid({ pixels, width: stride }: Picture, { x, y, width, height }: Area): number | undefined {
  const first = pixels[y * stride + x] as number
  for (let row = y; row < y + height; row++) {
    const end = row * stride + x + width
    for (let at = end - width; at < end; at++) if (pixels[at] !== first) return undefined
  }
  return first
}

function filled(area: Area, pixel: number): Buffer {
  const bytes = Buffer.alloc(16)
  header(area, bytes)
  bytes[12] = FILL
  putPixel(bytes, 13, pixel)
  return bytes
}

function colors(picture: Picture, area: Area): Buffer {
  const indexed = paletteOf(picture, area)
  const head = Buffer.alloc(indexed ? 15 + indexed.palette.length * 3 : 13)
  header(area, head)
  if (!indexed) {
    head[12] = ANEW
    return Buffer.concat([head, ...packed(trueColors(picture, area))])
  }
  const { palette, indexes } = indexed
  head[12] = ANEW | WITH_FILTER
  head[13] = PALETTE_FILTER
  head[14] = palette.length - 1
  for (const [n, pixel] of palette.entries()) putPixel(head, 15 + n * 3, pixel)
  return Buffer.concat([head, ...packed(palette.length === 2 ? bits(indexes, area) : indexes)])
}

function header({ x, y, width, height }: Area, bytes: Buffer): void {
  bytes.writeUInt16BE(x, 0)
  bytes.writeUInt16BE(y, 2)
  bytes.writeUInt16BE(width, 4)
  bytes.writeUInt16BE(height, 6)
  bytes.writeInt32BE(TIGHT, 8)
}

function putPixel(bytes: Uint8Array, at: number, pixel: number): void {
  bytes[at] = pixel & 0xff
  bytes[at + 1] = (pixel >> 8) & 0xff
  bytes[at + 2] = (pixel >> 16) & 0xff
}

function trueColors({ pixels, width: stride }: Picture, { x, y, width, height }: Area): Uint8Array {
  const bytes = new Uint8Array(width * height * 3)
  let to = 0
  for (let row = y; row < y + height; row++) {
    const end = row * stride + x + width
    for (let at = end - width; at < end; at++, to += 3) putPixel(bytes, to, pixels[at] as number)
  }
  return bytes
}

/** Twice as large as it is filled at most, for short searches. */
const SLOTS = 1024
const slotKeys = new Uint32Array(SLOTS)
const slotValues = new Int16Array(SLOTS)

/** The colors of an area and which each pixel has; undefined where there are more than fit. */
export function paletteOf(
  { pixels, width: stride }: Picture,
  { x, y, width, height }: Area,
): { palette: number[]; indexes: Uint8Array } | undefined {
  slotValues.fill(-1)
  const palette: number[] = []
  const indexes = new Uint8Array(width * height)
  let to = 0
  let last = -1
  let lastIndex = 0
  for (let row = y; row < y + height; row++) {
    const end = row * stride + x + width
    for (let at = end - width; at < end; at++) {
      const pixel = pixels[at] as number
      if (pixel !== last) {
        let slot = (Math.imul(pixel, 0x9e3779b1) >>> 22) % SLOTS
        while (slotValues[slot] !== -1 && slotKeys[slot] !== pixel) slot = (slot + 1) % SLOTS
        if (slotValues[slot] === -1) {
          if (palette.length === MAX_COLORS) return undefined
          slotKeys[slot] = pixel
          slotValues[slot] = palette.length
          palette.push(pixel)
        }
        last = pixel
        lastIndex = slotValues[slot] as number
      }
      indexes[to++] = lastIndex
    }
  }
  return { palette, indexes }
}

/** Two colors, eight pixels a byte; each row begins with a byte of its own. */
function bits(indexes: Uint8Array, { width, height }: Area): Uint8Array {
  const rowBytes = Math.ceil(width / 8)
  const packedBits = new Uint8Array(rowBytes * height)
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++)
      if (indexes[row * width + column])
        packedBits[row * rowBytes + (column >> 3)] =
          (packedBits[row * rowBytes + (column >> 3)] as number) | (0x80 >> (column & 7))
  return packedBits
}

/** The data as Tight has it: deflated behind its length, unless it is short. */
function packed(data: Uint8Array): Uint8Array[] {
  if (data.length < MIN_DEFLATED) return [data]
  const isSmall = data.length <= 16 * 1024
  const deflated = deflateSync(data, isSmall ? { level: LEVEL, windowBits: 14, memLevel: 5 } : { level: LEVEL })
  return [compactLength(deflated.length), deflated]
}

/** Seven bits a byte, the lowest first; three bytes at most. */
function compactLength(length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(length)
  if (length < 0x4000) return Uint8Array.of((length & 0x7f) | 0x80, length >> 7)
  return Uint8Array.of((length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14)
}
