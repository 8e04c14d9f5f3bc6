import type { Area, Picture } from '../../kinds/desktop/picture/picture.ts'
import { ProtocolViolation } from '../protocol-violation.ts'
import type { Steps } from '../steps.ts'

const SIDE = 16
const RAW = 1
const BACKGROUND = 2
const FOREGROUND = 4
const SUBRECTANGLES = 8
const COLORED = 16

/** Draws a rectangle in hextile encoding (RFC 6143 §7.7.4). Throws ProtocolViolation. */
export function* readHextile(picture: Picture, area: Area): Steps {
  const colors = { background: 0, foreground: 0 }
  for (let y = area.y; y < area.y + area.height; y += SIDE)
    for (let x = area.x; x < area.x + area.width; x += SIDE) {
      const width = Math.min(SIDE, area.x + area.width - x)
      const height = Math.min(SIDE, area.y + area.height - y)
      yield* readTile(picture, { x, y, width, height }, colors)
    }
}

function* readTile(picture: Picture, tile: Area, colors: { background: number; foreground: number }): Steps {
  const [how = 0] = yield 1
  if (how & RAW) {
    const rows = yield tile.width * tile.height * 4
    const rowBytes = tile.width * 4
    for (let n = 0; n < tile.height; n++)
      picture.putRow(tile.x, tile.y + n, rows.subarray(n * rowBytes, (n + 1) * rowBytes))
    return
  }
  if (how & BACKGROUND) colors.background = pixelOf(yield 4, 0)
  if (how & FOREGROUND) colors.foreground = pixelOf(yield 4, 0)
  picture.fill(tile, colors.background)
  if (!(how & SUBRECTANGLES)) return
  const [count = 0] = yield 1
  const isColored = (how & COLORED) !== 0
  const size = isColored ? 6 : 2
  const all = yield count * size
  for (let at = 0; at < all.length; at += size) {
    const pixel = isColored ? pixelOf(all, at) : colors.foreground
    const place = all.readUInt16BE(at + size - 2)
    const [x, y] = [place >> 12, (place >> 8) & 15]
    const [width, height] = [((place >> 4) & 15) + 1, (place & 15) + 1]
    if (x + width > tile.width || y + height > tile.height)
      throw new ProtocolViolation('a part of a tile lies outside of it')
    picture.fill({ x: tile.x + x, y: tile.y + y, width, height }, pixel)
  }
}

/** Without the byte that means nothing. */
function pixelOf(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) & 0xffffff
}
