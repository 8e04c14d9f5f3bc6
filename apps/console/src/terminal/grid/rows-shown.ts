import type { Row, Value } from './result-view.ts'
import type { Sorting } from './sorting.ts'

/** Text of a value, as far as it is here. */
export const textOf = (value: Value): string | null => (Array.isArray(value) ? value[0] : value)

/** The loaded rows that contain a text, in that order. Numbers go by their size, NULL comes last. */
export function shownRows(
  rows: readonly Row[],
  { filter, sorting, isNumber }: { filter: string; sorting: Sorting | undefined; isNumber: boolean },
): readonly Row[] {
  const wanted = filter.trim().toLowerCase()
  const found = wanted ? rows.filter((row) => row.some((value) => textOf(value)?.toLowerCase().includes(wanted))) : rows
  if (!sorting) return found
  const { column, isDescending } = sorting
  const collator = new Intl.Collator(undefined, { numeric: false })
  const compare = isNumber ? compareNumbers : collator.compare
  return found.toSorted((left, right) => {
    const [a, b] = [textOf(left[column] ?? null), textOf(right[column] ?? null)]
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
    return isDescending ? compare(b, a) : compare(a, b)
  })
}

const WHOLE_NUMBER = /^-?\d+$/

/** Ids of seventeen digits and more are the same to who reads them as numbers. */
function compareNumbers(a: string, b: string): number {
  const difference = Number(a) - Number(b)
  if (difference !== 0 || a === b || !WHOLE_NUMBER.test(a) || !WHOLE_NUMBER.test(b)) return difference
  const [one, other] = [BigInt(a), BigInt(b)]
  return one < other ? -1 : one > other ? 1 : 0
}

const LONGEST_PX = 360
/** With more characters the width is known without them. */
const LOOKED_AT = 50
/** Letters as wide as two others: Chinese, Japanese, Korean, pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/gu

/** How many narrow letters take as much room. */
function lettersIn(text: string): number {
  const looked = text.slice(0, LOOKED_AT)
  return looked.length + (looked.match(WIDE)?.length ?? 0)
}

/** A name is bold, and has an arrow behind it where rows are sorted by it. */
const HEAD_LETTERS = 3

/** Width of a column by the content of its first rows, in pixels. */
export function columnWidth(name: string, rows: readonly Row[], column: number): number {
  const longest = rows
    .slice(0, 50)
    .reduce(
      (most, row) => Math.max(most, lettersIn(textOf(row[column] ?? null) ?? 'NULL')),
      lettersIn(name) + HEAD_LETTERS,
    )
  return Math.min(LONGEST_PX, Math.max(64, longest * 8 + 20))
}

/** The form of a value: JSON and bytes are shown as such. */
export function readValue(text: string): { kind: 'json' | 'bytes' | 'text'; shown: string } {
  const bytes = /^(?:0x|\\x)((?:[0-9a-f]{2})+)$/i.exec(text)?.[1]
  if (bytes) return { kind: 'bytes', shown: dump(bytes) }
  if (/^\s*[[{]/.test(text)) {
    try {
      JSON.parse(text)
      return { kind: 'json', shown: indentJson(text) }
    } catch {
      // It only begins like that.
    }
  }
  return { kind: 'text', shown: text }
}

const JSON_PIECE = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/g
/** Deeper levels would mostly be blanks. */
const JSON_LEVELS = 100

/** JSON on several lines, in which all stands as before: who reads it rounds long numbers and forgets names that are there twice. */
function indentJson(text: string): string {
  const lines: string[] = []
  let line = ''
  let level = 0
  const next = (begin: string) => {
    lines.push(line)
    line = '  '.repeat(level) + begin
  }
  let before = ''
  for (const [piece] of text.matchAll(JSON_PIECE)) {
    if (piece === '}' || piece === ']') {
      level--
      if (before === '{' || before === '[') line += piece
      else next(piece)
    } else {
      if (before === '{' || before === '[' || before === ',') next('')
      line += piece === ':' ? ': ' : piece
      if ((piece === '{' || piece === '[') && ++level > JSON_LEVELS) throw new Error('nested too deep')
    }
    before = piece
  }
  return [...lines, line].join('\n')
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
