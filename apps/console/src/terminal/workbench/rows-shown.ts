import type { Row, Value } from './answers.ts'

/** What is in a value, as far as it is here. */
export const textOf = (value: Value): string | null => (Array.isArray(value) ? value[0] : value)

export interface Sorting {
  column: number
  isDescending: boolean
}

/** Of the rows that are loaded, those that contain a text, in that order. Numbers go by their size, NULL comes last. */
export function shownRows(
  rows: readonly Row[],
  { filter, sorting, isNumber }: { filter: string; sorting: Sorting | undefined; isNumber: boolean },
): readonly Row[] {
  const wanted = filter.trim().toLowerCase()
  const found = wanted ? rows.filter((row) => row.some((value) => textOf(value)?.toLowerCase().includes(wanted))) : rows
  if (!sorting) return found
  const { column, isDescending } = sorting
  const collator = new Intl.Collator(undefined, { numeric: false })
  const compare = (a: string, b: string) => (isNumber ? Number(a) - Number(b) : collator.compare(a, b))
  return found.toSorted((left, right) => {
    const [a, b] = [textOf(left[column] ?? null), textOf(right[column] ?? null)]
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
    return isDescending ? compare(b, a) : compare(a, b)
  })
}

/** Of a column as wide as what stands in its first rows, in pixels. */
export function columnWidth(name: string, rows: readonly Row[], column: number): number {
  const longest = rows
    .slice(0, 50)
    .reduce((most, row) => Math.max(most, textOf(row[column] ?? null)?.length ?? 4), name.length + 2)
  return Math.min(360, Math.max(64, longest * 8 + 20))
}

/** What a value is: JSON and bytes are shown as such. */
export function readValue(text: string): { kind: 'json' | 'bytes' | 'text'; shown: string } {
  const bytes = /^(?:0x|\\x)((?:[0-9a-f]{2})+)$/i.exec(text)?.[1]
  if (bytes) return { kind: 'bytes', shown: dump(bytes) }
  if (/^\s*[[{]/.test(text)) {
    try {
      return { kind: 'json', shown: JSON.stringify(JSON.parse(text), null, 2) }
    } catch {
      // It only begins like that.
    }
  }
  return { kind: 'text', shown: text }
}

const LINE_BYTES = 16

/** Bytes as `hexdump -C` shows them. */
function dump(hex: string): string {
  const lines: string[] = []
  for (let at = 0; at < hex.length; at += LINE_BYTES * 2) {
    const bytes = hex.slice(at, at + LINE_BYTES * 2).match(/../g) ?? []
    const text = bytes.map((byte) => {
      const code = Number.parseInt(byte, 16)
      return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '.'
    })
    const offset = (at / 2).toString(16).padStart(8, '0')
    lines.push(`${offset}  ${bytes.join(' ').padEnd(LINE_BYTES * 3 - 1)}  ${text.join('')}`)
  }
  return lines.join('\n')
}

/** A text field ends lines with a line feed alone: what had `\r\n` throughout gets it back. */
export function withLineEnds(text: string, before: string | null): string {
  const rest = before?.replaceAll('\r\n', '')
  const isThroughout = rest !== undefined && rest !== before && !/[\r\n]/.test(rest)
  return isThroughout ? text.replace(/\r?\n/g, '\r\n') : text
}
