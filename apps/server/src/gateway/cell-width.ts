/** Code points that take two columns in a terminal: East Asian wide and full-width (UAX #11), and emoji. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
]
const COMBINING: readonly (readonly [number, number])[] = [
  [0x0300, 0x036f],
  [0x200b, 0x200f],
  [0xfe00, 0xfe0f],
]

const within = (ranges: readonly (readonly [number, number])[], code: number) =>
  ranges.some(([first, last]) => code >= first && code <= last)

/** Columns of one character: 0, 1 or 2. */
export function cellWidth(character: string): 0 | 1 | 2 {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x300) return 1
  if (within(COMBINING, code)) return 0
  return within(WIDE, code) ? 2 : 1
}
