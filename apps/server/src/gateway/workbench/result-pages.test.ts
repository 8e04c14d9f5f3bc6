import { expect, test } from 'vitest'
import { type ResultEvent, ResultPages } from './result-pages.ts'

test('an answer that comes in one piece is shown page by page, and each page says whether more can be asked for', () => {
  const events: ResultEvent[] = []
  const holds: boolean[] = []
  const pages = new ResultPages({
    show: (event) => events.push(event),
    hold: (isHeld) => holds.push(isHeld),
    isOnePage: false,
    elapsed: () => 0,
  })
  const heard = () => events.splice(0).map((one) => (one.event === 'rows' ? one.rows.length : one.event))
  pages.columns([{ name: 'n', isNumber: true }])
  for (let n = 0; n < 1500; n++) pages.row([{ text: String(n), isCut: false }])
  expect([heard(), holds]).toEqual([['columns', 500, 'held'], [true]])
  pages.more()
  expect([heard(), holds]).toEqual([[500, 'held'], [true]])
  // The page is full, and nothing is left of the piece: the server is read on.
  pages.more()
  expect([heard(), holds]).toEqual([[500], [true, false]])
  pages.row([{ text: '1500', isCut: false }])
  expect([heard(), holds]).toEqual([['held'], [true, false, true]])
  pages.done({ words: '' })
  pages.more()
  expect([heard(), holds]).toEqual([
    [1, 'done'],
    [true, false, true, false],
  ])
})

test('a page that asks for rows as soon as some have come gets more at a time, one that scrolls does not', () => {
  const pieces: number[] = []
  let now = 0
  const pages = new ResultPages({
    show: (event) => event.event === 'rows' && pieces.push(event.rows.length),
    hold: () => {},
    isOnePage: false,
    elapsed: () => now,
  })
  pages.columns([{ name: 'n', isNumber: true }])
  for (let n = 0; n < 20_000; n++) pages.row([{ text: String(n), isCut: false }])
  for (let ask = 0; ask < 6; ask++) pages.more()
  expect(pieces).toEqual([500, 500, 500, 500, 3000, 5000, 5000])
  now += 1000
  pages.more()
  expect(pieces.at(-1)).toBe(500)
})
