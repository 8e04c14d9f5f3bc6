/**
 * Recordings for tests, built from the documentation of the Guacamole protocol: no server of
 * Guacamole is packaged here to make one. Images are of one color each.
 */
import { crc32, deflateSync } from 'node:zlib'
import { instructionsOf } from '@sallyport/contract/guacamole/instructions.ts'

export const say = (...elements: (string | number)[]): string =>
  `${elements.map((one) => `${[...String(one)].length}.${one}`).join(',')};`

/** A PNG of one color: gray from 0 to 255; with alpha it is seen through. */
export function png(width: number, height: number, gray: number, alpha?: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, alpha === undefined ? 0 : 4], 8)
  const row = [0, ...Array.from({ length: width }, () => (alpha === undefined ? [gray] : [gray, alpha])).flat()]
  const rows = Buffer.concat(Array.from({ length: height }, () => Buffer.from(row)))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** An image as guacd sends it: a stream of blobs. `mask` 14 draws over what is there. */
export function img(layer: number, x: number, y: number, image: Buffer, mask = 14, type = 'image/png'): string {
  const blobs = image.toString('base64').match(/.{1,4000}/g) ?? []
  return say('img', 1, mask, layer, type, x, y) + blobs.map((blob) => say('blob', 1, blob)).join('') + say('end', 1)
}

/** Layers as numbers, for pictures of images of one color: 0 is nothing. */
export function painted(text: string, width: number, height: number): string {
  const layers = new Map<number, Uint16Array>()
  const layerOf = (n: number) => {
    const found = layers.get(n) ?? new Uint16Array(width * height)
    layers.set(n, found)
    return found
  }
  let [stream, base64, cursor] = [[] as number[], '', '']
  let path: [number, number, number, number] | undefined
  const fill = (
    n: number,
    x: number,
    y: number,
    w: number,
    h: number,
    color: (dx: number, dy: number) => number | undefined,
  ) => {
    const layer = layerOf(n)
    for (let row = Math.max(y, 0); row < Math.min(y + h, height); row++)
      for (let column = Math.max(x, 0); column < Math.min(x + w, width); column++) {
        const next = color(column - x, row - y)
        if (next !== undefined) layer[row * width + column] = next
      }
  }
  for (const one of instructionsOf(Buffer.from(text))) {
    const [a, b, c, d, e, f, g, h, i] = Array.from({ length: 9 }, (_, n) => one.number(n)) as number[] as Nine
    if (one.opcode === 'img') [stream, base64] = [[b, c, e, f], '']
    else if (one.opcode === 'blob') base64 += one.text(1)
    else if (one.opcode === 'end') {
      const image = Buffer.from(base64, 'base64')
      const [mask, layer, x, y] = stream as Four
      // An image with alpha changes each color in a way of its own.
      const isOpaque = image[25] === 0
      const target = layerOf(layer)
      fill(layer, x, y, image.readUInt32BE(16), image.readUInt32BE(20), (dx, dy) => {
        const below = target[(y + dy) * width + x + dx] as number
        return isOpaque || mask === 12 ? (crc32(image) % 65_000) + 1 : ((below * 31 + crc32(image)) % 65_000) + 1
      })
    } else if (one.opcode === 'copy') {
      const source = layerOf(a).slice()
      fill(g, h, i, d, e, (dx, dy) => {
        const [x, y] = [b + dx, c + dy]
        const color = x < 0 || y < 0 || x >= width || y >= height ? 0 : (source[y * width + x] as number)
        return f === 12 ? color : color || undefined
      })
    } else if (one.opcode === 'rect') path = [b, c, d, e]
    else if (one.opcode === 'cfill' && path) {
      fill(b, ...path, () => 65_001 + c)
      path = undefined
    } else if (one.opcode === 'dispose') layers.delete(a)
    else if (one.opcode === 'cursor') {
      const source = layerOf(c)
      cursor = Array.from(
        { length: Math.min(f * g, 64) },
        (_, n) => source[(e + Math.floor(n / f)) * width + d + (n % f)],
      ).join(',')
    }
  }
  return `${layerOf(0).join(',')} ${cursor}`
}

type Four = [number, number, number, number]
type Nine = [number, number, number, number, number, number, number, number, number]
