import { expect, test } from 'vitest'
import { THEMES } from './themes.ts'

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The contrast of two colors, from 1 to 21. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

/** Black stays what programs draw grounds with; the selection and the cursor are grounds too. */
const GROUNDS = ['background', 'black', 'selectionBackground', 'cursorAccent']

test.each(THEMES.map(({ name, colors }) => [name, colors] as const))(
  'text in colors can be read on the ground of a terminal: %s',
  (_name, colors) => {
    const letters = Object.entries(colors).filter(([name]) => !GROUNDS.includes(name))
    expect(letters.filter(([, color]) => contrast(String(color), colors.background) < 4.5)).toEqual([])
    expect(letters.map(([name]) => name)).toEqual(
      expect.arrayContaining(['foreground', 'red', 'brightRed', 'blue', 'magenta', 'brightBlack']),
    )
  },
)
