import { ProtocolViolation } from '../protocol-violation.ts'

/** Makes the color that a picture keeps (red in the lowest byte) from a pixel of so many bits. Throws ProtocolViolation. */
export function pictureColor(bitsPerPixel: number): (pixel: number) => number {
  const of = COLORS[bitsPerPixel]
  if (!of) throw new ProtocolViolation(`${bitsPerPixel} bits a pixel, which nobody asked for`)
  return of
}

const COLORS: Readonly<Record<number, (pixel: number) => number>> = {
  15: (pixel) => rgb(wide5(pixel >> 10), wide5(pixel >> 5), wide5(pixel)),
  16: (pixel) => rgb(wide5(pixel >> 11), wide6(pixel >> 5), wide5(pixel)),
  24: (pixel) => rgb((pixel >> 16) & 0xff, (pixel >> 8) & 0xff, pixel & 0xff),
  32: (pixel) => rgb((pixel >> 16) & 0xff, (pixel >> 8) & 0xff, pixel & 0xff),
}

const rgb = (red: number, green: number, blue: number) => red | (green << 8) | (blue << 16)

/** The highest bits once more as the lowest, so that white stays white. */
const wide5 = (value: number) => ((value & 0x1f) << 3) | ((value & 0x1f) >> 2)
const wide6 = (value: number) => ((value & 0x3f) << 2) | ((value & 0x3f) >> 4)
