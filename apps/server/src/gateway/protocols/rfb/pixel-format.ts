import { ProtocolViolation } from '../protocol-violation.ts'

/** How a viewer wants its pixels (RFC 6143 §7.4). */
export interface PixelFormat {
  /** Bytes of a pixel. */
  bytes: 1 | 2 | 4
  /** Those that carry a color where compressed pixels are shorter (RFC 6143 §7.7.5), from `compactFrom` on. */
  compact: number
  compactFrom: number
  /** Tight may send it as red, green and blue, a byte each. */
  isTrueColor: boolean
  /** Puts a picture's pixel into bytes, as the format has it. */
  put(into: Uint8Array, at: number, pixel: number): void
}

/** Reads what a viewer asks for. Throws ProtocolViolation for colors by number, which none wants today. */
export function readPixelFormat(bytes: Buffer): PixelFormat {
  const [bits = 0, depth = 0, isBigEndian, isTrue] = bytes
  if (bits !== 8 && bits !== 16 && bits !== 32) throw new ProtocolViolation(`pixels of ${bits} bits`)
  if (!isTrue) throw new ProtocolViolation('colors by number')
  const channels = [0, 1, 2].map((n) => channelOf(bytes.readUInt16BE(4 + n * 2), bytes[10 + n] ?? 0, bits))
  const used = channels.reduce((all, { mask }) => (all | mask) >>> 0, 0)
  const count = (bits / 8) as PixelFormat['bytes']
  const isLow = (used & 0xff000000) === 0
  const isCompact = bits === 32 && depth <= 24 && (isLow || (used & 0xff) === 0)
  const [red, green, blue] = channels.map(({ table }) => table) as [Uint32Array, Uint32Array, Uint32Array]
  const shifts = Array.from({ length: count }, (_, n) => (isBigEndian ? count - 1 - n : n) * 8)
  return {
    bytes: count,
    compact: isCompact ? 3 : count,
    // The unused one of four bytes is first or last.
    compactFrom: isCompact && isLow === Boolean(isBigEndian) ? 1 : 0,
    isTrueColor: bits === 32 && depth === 24 && channels.every(({ max }) => max === 255),
    put(into, at, pixel) {
      const value =
        (red[pixel & 0xff] as number) | (green[(pixel >> 8) & 0xff] as number) | (blue[(pixel >> 16) & 0xff] as number)
      for (let n = 0; n < count; n++) into[at + n] = value >>> (shifts[n] as number)
    },
  }
}

/** Value of each of 256 shades in a pixel. */
function channelOf(max: number, shift: number, bits: number) {
  if (!max || shift + Math.ceil(Math.log2(max + 1)) > bits) throw new ProtocolViolation('colors beside their pixel')
  const table = Uint32Array.from({ length: 256 }, (_, shade) => Math.round((shade * max) / 255) * 2 ** shift)
  return { max, mask: (max * 2 ** shift) >>> 0, table }
}
