/** The run-length encoding of bitmaps with up to 24 bits a pixel (MS-RDPBCGR 2.2.9.1.1.3.1.2.4, 3.1.9). */
import { ProtocolViolation } from '../protocol-violation.ts'
import { Cursor } from './cursor.ts'

type Order =
  | 'background'
  | 'foreground'
  | 'newForeground'
  | 'mask'
  | 'newMask'
  | 'color'
  | 'image'
  | 'dithered'
  | 'firstMask'
  | 'secondMask'
  | 'white'
  | 'black'

const REGULAR: readonly Order[] = ['background', 'foreground', 'mask', 'color', 'image']
const LITE: readonly Order[] = ['newForeground', 'newMask', 'dithered']
const MEGA: Readonly<Record<number, Order>> = {
  240: 'background',
  241: 'foreground',
  242: 'mask',
  243: 'color',
  244: 'image',
  246: 'newForeground',
  247: 'newMask',
  248: 'dithered',
}
const SPECIAL: Readonly<Record<number, Order>> = { 249: 'firstMask', 250: 'secondMask', 253: 'white', 254: 'black' }
/** Masks that are so frequent that they have a code of their own. */
const FIXED_MASKS = { firstMask: 0x03, secondMask: 0x05 } as const

/** Decodes `width * height` pixels, the lowest row first. Throws ProtocolViolation. */
export function decodeRuns(data: Buffer, width: number, height: number, bitsPerPixel: number): Uint32Array {
  const bytes = (bitsPerPixel + 7) >> 3
  const white = bitsPerPixel === 15 ? 0x7fff : 2 ** (bytes * 8) - 1
  const out = new Uint32Array(width * height)
  const read = new Cursor(data)
  const pixel = () => read.take(bytes).readUIntLE(0, bytes)
  let at = 0
  let foreground = white
  /** Two background runs in a row have a foreground pixel between them. */
  let afterBackground = false
  let isFirstRow = true

  const demand = (count: number) => {
    if (count > out.length - at) throw new ProtocolViolation('a bitmap with more pixels than it has')
  }
  const above = () => (isFirstRow ? 0 : (out[at - width] as number))
  const masked = (count: number, nextMask: () => number) => {
    for (let left = count; left > 0; left -= 8) {
      const mask = nextMask()
      for (let bit = 0; bit < Math.min(8, left); bit++, at++)
        out[at] = mask & (1 << bit) ? above() ^ foreground : above()
    }
  }

  while (read.left) {
    if (isFirstRow && at >= width) {
      isFirstRow = false
      afterBackground = false
    }
    const { order, count } = readOrder(read)
    demand(order === 'dithered' ? count * 2 : count)
    const insertsForeground = order === 'background' && afterBackground
    afterBackground = order === 'background'
    switch (order) {
      case 'background':
        for (let n = 0; n < count; n++, at++) out[at] = n === 0 && insertsForeground ? above() ^ foreground : above()
        break
      case 'newForeground':
      case 'foreground':
        if (order === 'newForeground') foreground = pixel()
        for (let n = 0; n < count; n++, at++) out[at] = above() ^ foreground
        break
      case 'newMask':
      case 'mask':
        if (order === 'newMask') foreground = pixel()
        masked(count, () => read.u8())
        break
      case 'firstMask':
      case 'secondMask':
        masked(count, () => FIXED_MASKS[order])
        break
      case 'color':
        out.fill(pixel(), at, at + count)
        at += count
        break
      case 'image':
        for (let n = 0; n < count; n++) out[at++] = pixel()
        break
      case 'dithered': {
        const pair = [pixel(), pixel()] as const
        for (let n = 0; n < count * 2; n++) out[at++] = pair[(n & 1) as 0 | 1]
        break
      }
      case 'white':
      case 'black':
        out[at++] = order === 'white' ? white : 0
    }
  }
  return out
}

function readOrder(read: Cursor): { order: Order; count: number } {
  const head = read.u8()
  const special = SPECIAL[head]
  if (special) return { order: special, count: special === 'white' || special === 'black' ? 1 : 8 }
  const mega = MEGA[head]
  if (mega) return { order: mega, count: read.u16() }
  const isLite = head >= 0xc0
  const order = isLite ? LITE[(head >> 4) - 0xc] : REGULAR[head >> 5]
  if (!order || head >= 0xf0) throw new ProtocolViolation('a bitmap whose encoding nobody knows')
  const short = head & (isLite ? 0x0f : 0x1f)
  if (order === 'mask' || order === 'newMask') return { order, count: short ? short * 8 : read.u8() + 1 }
  return { order, count: short || read.u8() + (isLite ? 16 : 32) }
}
