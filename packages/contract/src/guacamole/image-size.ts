/** Size of a picture in a recording, from its header, and whether one can see through it. */
export interface ImageHeader {
  width: number
  height: number
  /** False only where the header says so. */
  opaque: boolean
}

/** More than any screen: what claims more is not unpacked, since a few bytes could fill the memory. */
export const MAX_IMAGE_PIXELS = 8192 * 8192

/** Reads the header of a PNG, JPEG or WebP; undefined for anything else, also for one that is too large. */
export function imageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const found = png(bytes) ?? jpeg(bytes) ?? webp(bytes)
  return found && found.width > 0 && found.height > 0 && found.width * found.height <= MAX_IMAGE_PIXELS
    ? found
    : undefined
}

const u16 = (bytes: Uint8Array, at: number) => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
const u32 = (bytes: Uint8Array, at: number) => u16(bytes, at) * 65_536 + u16(bytes, at + 2)
const is = (bytes: Uint8Array, at: number, text: string) =>
  [...text].every((letter, n) => bytes[at + n] === letter.charCodeAt(0))

/** Color types without an alpha channel are seen through only by a chunk of their own. */
function png(bytes: Uint8Array): ImageHeader | undefined {
  if (!is(bytes, 1, 'PNG') || bytes[0] !== 0x89 || !is(bytes, 12, 'IHDR') || bytes.length < 26) return undefined
  const color = bytes[25] ?? 0
  return {
    width: u32(bytes, 16),
    height: u32(bytes, 20),
    opaque: (color === 0 || color === 2 || color === 3) && !hasTransparency(bytes),
  }
}

function hasTransparency(bytes: Uint8Array): boolean {
  for (let at = 8; at + 8 <= bytes.length; at += u32(bytes, at) + 12) {
    if (is(bytes, at + 4, 'tRNS')) return true
    if (is(bytes, at + 4, 'IDAT')) return false
  }
  // The header goes on behind what is here.
  return true
}

function jpeg(bytes: Uint8Array): ImageHeader | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + u16(bytes, at + 2)) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return { width: u16(bytes, at + 7), height: u16(bytes, at + 5), opaque: true }
  }
  return undefined
}

function webp(bytes: Uint8Array): ImageHeader | undefined {
  if (!is(bytes, 0, 'RIFF') || !is(bytes, 8, 'WEBP') || bytes.length < 30) return undefined
  const little = (at: number, count: number) =>
    Array.from({ length: count }, (_, n) => (bytes[at + n] ?? 0) * 256 ** n).reduce((sum, part) => sum + part, 0)
  if (is(bytes, 12, 'VP8 ')) return { width: little(26, 2) & 0x3fff, height: little(28, 2) & 0x3fff, opaque: true }
  if (is(bytes, 12, 'VP8L')) {
    const bits = little(21, 4)
    return {
      width: (bits % 16_384) + 1,
      height: (Math.floor(bits / 16_384) % 16_384) + 1,
      opaque: Math.floor(bits / 2 ** 28) % 2 === 0,
    }
  }
  if (is(bytes, 12, 'VP8X'))
    return { width: little(24, 3) + 1, height: little(27, 3) + 1, opaque: ((bytes[20] ?? 0) & 0x10) === 0 }
  return undefined
}
