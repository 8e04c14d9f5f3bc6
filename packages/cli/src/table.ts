/** Rows below each other, as wide as their longest cells. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ''))))
  return rows
    .map((row) => row.map((cell, at) => clean(cell) + ' '.repeat((widths[at] ?? 0) - widthOf(cell))).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}

/** Names are what somebody has typed: none of them moves the cursor. */
export const clean = (text: string): string => text.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '?')

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

const widthOf = (text: string): number => [...text].reduce((width, sign) => width + (WIDE.test(sign) ? 2 : 1), 0)
