import { firstColumns, fitText, textWidth } from './plain-text.ts'

const BETWEEN = ' | '
const BOLD = '\x1b[1m'
const GREEN = '\x1b[32m'
const RESET = '\x1b[0m'

/**
 * Rows under a header, fitted to the window: when that is too narrow, the widest columns shrink
 * first and long cells are cut. Cells are plain text (`plainText`). The answer has a line for the
 * header, one for the rule below and one for each row, each ending with CR LF.
 */
export function drawTable(header: readonly string[], rows: readonly (readonly string[])[], columns: number): string {
  const natural = header.map((title, index) =>
    Math.max(textWidth(title), ...rows.map((row) => textWidth(row[index] ?? ''))),
  )
  const widths = fitWidths(natural, columns - 1 - BETWEEN.length * (header.length - 1))
  const line = (cells: readonly string[]) =>
    firstColumns(widths.map((width, index) => fitText(cells[index] ?? '', width)).join(BETWEEN), columns - 1).trimEnd()
  const rule = firstColumns(widths.map((width) => '-'.repeat(width)).join('-+-'), columns - 1)
  return [`${BOLD}${GREEN}${line(header)}${RESET}`, rule, ...rows.map(line)].map((text) => `${text}\r\n`).join('')
}

/**
 * Each column gets what it needs, up to an equal share of what is left; narrow columns come first.
 */
export function fitWidths(natural: readonly number[], room: number): number[] {
  const widths = [...natural]
  let left = room
  const narrowFirst = natural.map((width, index) => ({ width, index })).sort((a, b) => a.width - b.width)
  for (const [asked, { width, index }] of narrowFirst.entries()) {
    const share = Math.max(1, Math.floor(left / (natural.length - asked)))
    const given = Math.min(width, share)
    widths[index] = given
    left -= given
  }
  return widths
}
