import { expect, test } from 'vitest'
import { enabledRanges, firstRange, hasDateRange, type ListedRows, rangeQuery } from './export-range.ts'

const plain: ListedRows = {
  path: '/x/',
  fixed: { type: 'host' },
  chosen: { search: '', order: '-name', offset: 15, limit: 15, draw: 1, display: 1, date_from: '2026-01-01' },
  selected: [],
}
const filtered = { ...plain, chosen: { ...plain.chosen, search: 'web' } }
const ticked = { ...filtered, selected: ['a'] }
const spm = async () => 'token'

test('[A5.16 B5.02] all is offered only without a filter; pages, order and the time span are none', () => {
  expect([enabledRanges(plain).all, enabledRanges(filtered).all]).toEqual([true, false])
})

test('[A5.17 A5.18 B5.02] selected needs ticked rows, filtered needs a filter', () => {
  expect(enabledRanges(plain)).toEqual({ all: true, selected: false, filtered: false })
  expect(enabledRanges(ticked)).toEqual({ all: false, selected: true, filtered: true })
  expect([firstRange(plain), firstRange(filtered), firstRange(ticked)]).toEqual(['all', 'filtered', 'selected'])
})

test('[B7.42] the call carries filters without pages, and a reference when rows are selected', async () => {
  expect(await rangeQuery(filtered, 'filtered', spm)).toEqual({
    type: 'host',
    search: 'web',
    order: '-name',
    date_from: '2026-01-01',
  })
  expect(await rangeQuery(ticked, 'selected', spm)).toEqual({ type: 'host', order: '-name', spm: 'token' })
})

test('a time span is known, since it narrows the file as well', () => {
  expect([hasDateRange(plain), hasDateRange({ ...plain, chosen: {} })]).toEqual([true, false])
})
