import { zlibSync } from 'fflate'
import { expect, test } from 'vitest'
import { DesktopPicture } from './desktop-picture.ts'

const u16 = (...values: number[]) => values.flatMap((value) => [value >> 8, value & 0xff])
const update = (...rectangles: number[][]) => Uint8Array.from([0, 0, ...u16(rectangles.length), ...rectangles.flat()])
const size = (width: number, height: number) => [...u16(0, 0, width, height), 0xff, 0xff, 0xff, 0x21]
const tight = (x: number, y: number, width: number, height: number, ...rest: number[]) => [
  ...u16(x, y, width, height),
  ...[0, 0, 0, 7],
  ...rest,
]
const deflated = (bytes: number[]) => {
  const packed = [...zlibSync(Uint8Array.from(bytes))]
  return [(packed.length & 0x7f) | 0x80, packed.length >> 7, ...packed]
}

test('[A1.06] a recorded desktop is painted: a color, two colors by bits, and pixels of their own', () => {
  const picture = new DesktopPicture()
  const red = Array.from({ length: 16 }, () => [200, 10, 20]).flat()
  picture.apply(update(size(8, 8), tight(0, 0, 8, 8, 0x80, 1, 2, 3)))
  picture.apply(update(tight(0, 0, 8, 2, 0x50, 1, 1, 9, 9, 9, 250, 250, 250, 0b10000000, 0b00000001)))
  picture.apply(update(tight(4, 4, 4, 4, 0x10, ...deflated(red))))
  const at = (x: number, y: number) => [...picture.data.slice((y * 8 + x) * 4, (y * 8 + x) * 4 + 4)]
  expect([at(0, 0), at(1, 0), at(7, 1)]).toEqual([
    [250, 250, 250, 255],
    [9, 9, 9, 255],
    [250, 250, 250, 255],
  ])
  expect([at(0, 7), at(7, 7)]).toEqual([
    [1, 2, 3, 255],
    [200, 10, 20, 255],
  ])
})

test('an update that is cut short, too large or beside the screen is refused; of a bomb no more is taken than there is room for', () => {
  const picture = new DesktopPicture()
  picture.apply(update(size(8, 8)))
  expect(() => picture.apply(update(tight(0, 0, 8, 8, 0x80, 1)))).toThrow()
  expect(() => picture.apply(update(size(60_000, 60_000)))).toThrow()
  expect(() => picture.apply(update(tight(4, 4, 8, 8, 0x80, 1, 2, 3)))).toThrow()
  const bomb = deflated(Array.from({ length: 100_000 }, () => 7))
  picture.apply(update(tight(0, 0, 4, 4, 0x10, ...bomb)))
  const expected = Array.from({ length: 8 * 8 }, (_, n) => (n % 8 < 4 && n < 4 * 8 ? [7, 7, 7, 255] : [0, 0, 0, 0]))
  expect([...picture.data]).toEqual(expected.flat())
})
