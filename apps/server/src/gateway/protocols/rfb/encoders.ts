import { constants, deflateRawSync } from 'node:zlib'
import type { Area, Picture } from '../../kinds/desktop/picture/picture.ts'
import { TILE } from '../../kinds/desktop/picture/picture.ts'
import { encodeArea, paletteOf } from '../../kinds/desktop/picture/tight.ts'
import type { Encoder } from '../../kinds/desktop/picture/view.ts'
import { ENCODING } from './messages.ts'
import type { PixelFormat } from './pixel-format.ts'

/** Head of a stream of zlib (RFC 1950 §2.2), for the fastest way. */
const ZLIB_HEAD = Buffer.of(0x78, 0x01)
const LEVEL = 2
/** Beginning of a tile that has colors as they are. */
const AS_IT_IS = 0
const MAX_PACKED = 16

/**
 * How a picture goes to one viewer. What it names first of those that there are is taken: Tight
 * where its pixels have a byte for each color, ZRLE, or as they are, which every viewer reads.
 */
export class Encoders {
  /** One stream of zlib for all that a viewer gets (RFC 6143 §7.7.6). */
  #hasBegun = false

  of(named: readonly number[], format: PixelFormat): Encoder {
    for (const encoding of named) {
      if (encoding === ENCODING.tight && format.isTrueColor) return encodeArea
      if (encoding === ENCODING.zrle) return (picture, area, into) => void into.push(this.#zrle(picture, area, format))
      if (encoding === ENCODING.raw) break
    }
    return (picture, area, into) => void into.push(raw(picture, area, format))
  }

  /** Each piece is deflated by itself and joined to the stream: nothing is kept for a viewer in between. */
  #zrle(picture: Picture, area: Area, format: PixelFormat): Buffer {
    const tiles: Uint8Array[] = []
    for (let x = area.x; x < area.x + area.width; x += TILE)
      tiles.push(tileOf(picture, { ...area, x, width: Math.min(TILE, area.x + area.width - x) }, format))
    const deflated = deflateRawSync(Buffer.concat(tiles), { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH })
    const data = this.#hasBegun ? deflated : Buffer.concat([ZLIB_HEAD, deflated])
    this.#hasBegun = true
    const head = Buffer.alloc(16)
    header(area, ENCODING.zrle, head)
    head.writeUInt32BE(data.length, 12)
    return Buffer.concat([head, data])
  }
}

/** A tile of ZRLE: of one color, of a few by number, or as it is. */
function tileOf(picture: Picture, area: Area, format: PixelFormat): Uint8Array {
  const { palette = [], indexes } = paletteOf(picture, area) ?? {}
  if (!indexes || palette.length > MAX_PACKED)
    return Buffer.concat([Buffer.of(AS_IT_IS), pixelsOf(picture, area, { ...format, isShort: true })])
  const colors = Buffer.alloc(1 + palette.length * format.compact)
  colors[0] = palette.length
  for (const [n, pixel] of palette.entries()) putCompact(colors, 1 + n * format.compact, pixel, format)
  return palette.length === 1 ? colors : Buffer.concat([colors, packed(indexes, area, palette.length)])
}

/** Numbers of colors, in as few bits as they need; each row begins with a byte of its own. */
function packed(indexes: Uint8Array, { width, height }: Area, colors: number): Uint8Array {
  const bits = colors === 2 ? 1 : colors <= 4 ? 2 : 4
  const rowBytes = Math.ceil((width * bits) / 8)
  const bytes = new Uint8Array(rowBytes * height)
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const at = row * rowBytes + ((column * bits) >> 3)
      bytes[at] =
        (bytes[at] as number) | ((indexes[row * width + column] as number) << (8 - bits - ((column * bits) & 7)))
    }
  return bytes
}

function raw(picture: Picture, area: Area, format: PixelFormat): Buffer {
  const head = Buffer.alloc(12)
  header(area, ENCODING.raw, head)
  return Buffer.concat([head, pixelsOf(picture, area, { ...format, isShort: false })])
}

function pixelsOf(
  { pixels, width: stride }: Picture,
  { x, y, width, height }: Area,
  { isShort, ...format }: PixelFormat & { isShort: boolean },
): Uint8Array {
  const step = isShort ? format.compact : format.bytes
  const put = isShort && format.compact !== format.bytes ? putCompact : putWhole
  const bytes = new Uint8Array(width * height * step)
  let to = 0
  for (let row = y; row < y + height; row++) {
    const end = row * stride + x + width
    for (let at = end - width; at < end; at++, to += step) put(bytes, to, pixels[at] as number, format)
  }
  return bytes
}

const putWhole = (into: Uint8Array, at: number, pixel: number, { put }: PixelFormat) => put(into, at, pixel)

const whole = new Uint8Array(4)
/** Without the byte that carries nothing, where there is one. */
function putCompact(into: Uint8Array, at: number, pixel: number, { put, compact, compactFrom }: PixelFormat): void {
  put(whole, 0, pixel)
  for (let n = 0; n < compact; n++) into[at + n] = whole[compactFrom + n] as number
}

function header({ x, y, width, height }: Area, encoding: number, bytes: Buffer): void {
  bytes.writeUInt16BE(x, 0)
  bytes.writeUInt16BE(y, 2)
  bytes.writeUInt16BE(width, 4)
  bytes.writeUInt16BE(height, 6)
  bytes.writeInt32BE(encoding, 8)
}
