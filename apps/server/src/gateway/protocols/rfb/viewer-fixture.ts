/** A viewer that reads the bytes that it gets, and sends input; enough of both for tests. */
import { inflateSync } from 'node:zlib'
import { ENCODING, FROM_CLIENT, PIXEL_FORMAT } from './messages.ts'

export interface Seen {
  width: number
  height: number
  /** `rrggbb` */
  at(x: number, y: number): string
  pixels: Uint32Array
  /** How many pixels have another color than black. */
  lit: number
}

/** A viewer's side, sent at once: nobody at this end waits for answers. */
export function viewerStart(updates = 500): Buffer {
  const encodings = Buffer.alloc(12)
  encodings[0] = FROM_CLIENT.encodings
  encodings.writeUInt16BE(2, 2)
  encodings.writeInt32BE(ENCODING.tight, 4)
  encodings.writeInt32BE(ENCODING.extendedDesktopSize, 8)
  return Buffer.concat([
    Buffer.from('RFB 003.008\n'),
    Buffer.of(1, 1),
    Buffer.from([FROM_CLIENT.pixelFormat, 0, 0, 0]),
    PIXEL_FORMAT,
    encodings,
    ...Array.from({ length: updates }, (_, n) =>
      Buffer.from([FROM_CLIENT.updateRequest, n ? 1 : 0, 0, 0, 0, 0, 255, 255, 255, 255]),
    ),
  ])
}

/** The picture after everything that a viewer got, greeting and all; undefined before there is one. */
export function seen(output: Buffer): Seen | undefined {
  const greeting = 12 + 2 + 4
  if (output.length < greeting + 24) return undefined
  const init = output.subarray(greeting)
  const name = init.readUInt32BE(20)
  return drawn(init.readUInt16BE(0), init.readUInt16BE(2), init.subarray(24 + name))
}

/** The picture after those updates. */
export function drawn(width: number, height: number, updates: Buffer): Seen {
  let size = { width, height }
  let pixels = new Uint32Array(width * height)
  let at = 0
  const need = (bytes: number) => {
    if (at + bytes > updates.length) throw new Incomplete()
    at += bytes
    return updates.subarray(at - bytes, at)
  }
  const rectangle = () => {
    const head = need(12)
    const [x, y, w, h] = [0, 2, 4, 6].map((offset) => head.readUInt16BE(offset)) as [number, number, number, number]
    const encoding = head.readInt32BE(8)
    if (encoding === ENCODING.tight) {
      const colors = tight(need, w, h)
      for (let row = 0; row < h; row++)
        for (let column = 0; column < w; column++)
          pixels[(y + row) * size.width + x + column] = colors(row * w + column, row, column)
      return
    }
    if (encoding === ENCODING.extendedDesktopSize) need((need(4)[0] as number) * 16)
    else if (encoding !== ENCODING.desktopSize) throw new Error(`encoding ${encoding}`)
    // Another size was refused.
    if (y !== 0) return
    size = { width: w, height: h }
    pixels = new Uint32Array(w * h)
  }
  try {
    while (at < updates.length) {
      const count = need(4).readUInt16BE(2)
      for (let n = 0; n < count; n++) rectangle()
    }
  } catch (error) {
    if (!(error instanceof Incomplete)) throw error
  }
  return {
    ...size,
    pixels,
    at: (x, y) => (pixels[y * size.width + x] as number).toString(16).padStart(6, '0'),
    lit: pixels.reduce((count, pixel) => count + (pixel ? 1 : 0), 0),
  }
}

class Incomplete extends Error {}

/** Answers the color of each pixel. */
function tight(need: (bytes: number) => Buffer, width: number, height: number) {
  const control = (need(1)[0] as number) >> 4
  const color = (bytes: Buffer, offset: number) => bytes.readUIntBE(offset, 3)
  if (control === 8) {
    const filled = color(need(3), 0)
    return () => filled
  }
  if (!(control & 4)) {
    const all = data(need, width * height * 3)
    return (n: number) => color(all, n * 3)
  }
  if (need(1)[0] !== 1) throw new Error('a filter that is not used')
  const count = (need(1)[0] as number) + 1
  const palette = need(count * 3)
  const rowBytes = count === 2 ? Math.ceil(width / 8) : width
  const indexes = data(need, rowBytes * height)
  return (_n: number, row: number, column: number) => {
    const index =
      count === 2
        ? ((indexes[row * rowBytes + (column >> 3)] as number) >> (7 - (column & 7))) & 1
        : (indexes[row * rowBytes + column] as number)
    return color(palette, index * 3)
  }
}

function data(need: (bytes: number) => Buffer, length: number): Buffer {
  if (length < 12) return need(length)
  let deflated = 0
  for (let shift = 0; shift <= 14; shift += 7) {
    const [byte = 0] = need(1)
    deflated |= (byte & (shift < 14 ? 0x7f : 0xff)) << shift
    if (!(byte & 0x80) || shift === 14) break
  }
  const all = inflateSync(need(deflated))
  if (all.length !== length) throw new Error(`${all.length} bytes instead of ${length}`)
  return all
}
