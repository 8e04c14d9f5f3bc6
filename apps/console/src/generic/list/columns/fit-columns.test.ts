import { expect, test } from 'vitest'
import { columnWidths, foldColumns, leastWidth, TICK_WIDTH } from './fit-columns.ts'

const NAME = { key: 'name', min: 150, grow: 2 }
const COMMENT = { key: 'comment', min: 100, grow: 1 }
const STATE = { key: 'is_active', width: 100 }
const CITY = { key: 'city', min: 100, grow: 1 }
const ALL = [NAME, STATE, CITY, COMMENT]
const keys = (columns: readonly { key: string }[]) => columns.map(({ key }) => key)

test('columns give way in the order that the page says, only as many as must', () => {
  const fold = (room: number) => keys(foldColumns(ALL, { room, hasTicks: false, foldFirst: ['comment', 'city'] }))
  expect(fold(450)).toEqual(['name', 'is_active', 'city', 'comment'])
  expect(fold(449)).toEqual(['name', 'is_active', 'city'])
  expect(fold(349)).toEqual(['name', 'is_active'])
  // The rest scrolls.
  expect(fold(80)).toEqual(['name', 'is_active'])
})

test('check boxes take room too', () => {
  expect(leastWidth(ALL, true) - leastWidth(ALL, false)).toBe(TICK_WIDTH)
  expect(keys(foldColumns(ALL, { room: 450, hasTicks: true, foldFirst: ['comment'] }))).not.toContain('comment')
})

test('the rest is shared by the columns that grow, the name twice; those of one length stay', () => {
  const widths = columnWidths(ALL, { room: 850, hasTicks: false })
  expect(Object.fromEntries(widths)).toEqual({ name: 350, is_active: 100, city: 200, comment: 200 })
})

test('without room every column keeps its least', () => {
  const widths = columnWidths(ALL, { room: 300, hasTicks: false })
  expect(Object.fromEntries(widths)).toEqual({ name: 150, is_active: 100, city: 100, comment: 100 })
})
