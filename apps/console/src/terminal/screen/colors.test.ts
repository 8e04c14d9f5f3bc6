import { expect, test } from 'vitest'
import { TERMINAL_COLORS } from './colors.ts'

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

test('errors and whatever else is written in colors can be read on the ground of a terminal', () => {
  const { background, ...colors } = TERMINAL_COLORS
  const dim = Object.entries(colors).filter(
    ([, color]) => (luminance(color) + 0.05) / (luminance(background) + 0.05) < 4.5,
  )
  expect(dim).toEqual([])
  expect(Object.keys(colors)).toEqual(expect.arrayContaining(['red', 'brightRed', 'blue', 'magenta', 'brightBlack']))
})
