import { expect, test } from 'vitest'
import { withoutComments } from './without-comments.ts'

test.each([
  ['/**/DROP/* /* a */ b */TABLE x -- no\n', 'DROP TABLE x'],
  ["select '--', N'it''s /* */', [a]]--b], \"c--d\"", undefined],
  ['drop\n  table\tx', 'drop table x'],
  ["select 'open --", undefined],
  ['a - b / c', undefined],
])('%s', (text, read) => {
  expect(withoutComments(text)).toBe(read)
})

test('[B7.29] hostile texts take no longer than others', () => {
  for (const piece of ['/*', '--', "'", '[', ']]', '"', '*/', ' '])
    expect(withoutComments(piece.repeat(300_000))?.length ?? 0).toBeLessThanOrEqual(600_000)
  expect(withoutComments(`${'--\n'.repeat(300_000)}select 1`)?.trim()).toBe('select 1')
})
