/** How wide the cells of a drawn table would be, had they all the room that they want. */
import type { ColumnNeed } from './fit-content.ts'

/** At the size of heads. */
const CHINESE_LETTER = 13.4
/** Chinese letters on one line of a head. */
const HEAD_LINE = 5
const CARETS = 16
const HEAD_BUTTON = 24
/** A pixel at each side against rounding. */
const SLACK = 2

/**
 * The need of each column with a `data-column` head, but for actions, whose room is known. Rows that
 * are not drawn are not asked. Call it when the layout is done, as in a ResizeObserver: before that
 * it would have to be made for this alone.
 */
export function measureColumns(table: HTMLTableElement): ReadonlyMap<string, ColumnNeed> {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])]
  const rows = [...(table.tBodies[0]?.rows ?? [])].filter(({ cells }) => cells.length === heads.length)
  const range = document.createRange()
  return new Map(
    heads.flatMap((head, at): [string, ColumnNeed][] => {
      const key = head.dataset.column
      const cells = rows.flatMap((row) => row.cells[at] ?? [])
      const [first] = cells
      if (!key || key === 'actions' || !first) return []
      const padding = paddingOf(first)
      const widest = cells.reduce((most, cell) => Math.max(most, contentWidth(cell, range)), 0)
      return [
        [
          key,
          { content: widest === 0 ? 0 : Math.ceil(widest + padding + SLACK), head: headWidth(head, padding, range) },
        ],
      ]
    }),
  )
}

function paddingOf(cell: HTMLElement): number {
  const { paddingLeft, paddingRight } = getComputedStyle(cell)
  return (Number.parseFloat(paddingLeft) || 0) + (Number.parseFloat(paddingRight) || 0)
}

/** Width of the contents of a cell, whether they have room or not. */
function contentWidth(cell: HTMLElement, range: Range): number {
  if (!cell.hasChildNodes()) return 0
  range.selectNodeContents(cell)
  const { width } = range.getBoundingClientRect()
  // A button or box inside cuts its own text.
  let hidden = 0
  for (const { scrollWidth, clientWidth } of cell.querySelectorAll('*'))
    if (clientWidth > 1) hidden = Math.max(hidden, scrollWidth - clientWidth)
  return width + hidden
}

/** Width of its longest word, for heads break between words only. */
function headWidth(head: HTMLElement, padding: number, range: Range): number {
  let longest = 0
  const texts = document.createTreeWalker(head, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text; text = texts.nextNode())
    for (const { 0: word, index } of (text.textContent ?? '').matchAll(/\S+/g))
      longest = Math.max(longest, chineseWidth(word) ?? wordWidth(text, index, word.length, range))
  const buttons = head.querySelectorAll('.head-filter, .head-help').length * HEAD_BUTTON
  return Math.ceil(longest + (head.querySelector('.carets') ? CARETS : 0) + buttons + padding + SLACK)
}

function wordWidth(text: Node, start: number, length: number, range: Range): number {
  range.setStart(text, start)
  range.setEnd(text, start + length)
  return range.getBoundingClientRect().width
}

/** Chinese breaks anywhere: a long head is on two lines. Undefined for other words. */
function chineseWidth(word: string): number | undefined {
  const letters = [...word]
  if (!letters.some((letter) => letter > '\u2e7f')) return undefined
  return (letters.length > HEAD_LINE ? Math.ceil(letters.length / 2) : letters.length) * CHINESE_LETTER
}
