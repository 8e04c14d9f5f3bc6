import { expect, test } from 'vitest'
import { withoutComments } from './without-comments.ts'

test.each([
  ['/**/DROP/*+ hint /* a */TABLE x -- no\n', 'DROP TABLE x'],
  ["select '--', N'it''s /*', \"c--d\" from dual", undefined],
  ["select q'[it's -- no]', nq'!a'!', Q'{/*}' from dual--", "select q'[it's -- no]', nq'!a'!', Q'{/*}' from dual"],
  // The end of a name: what follows is a text like any other.
  ["select seq'[' -- ]'", "select seq'['"],
  ['drop\n  table\tx', 'drop table x'],
  ["select 'open --", undefined],
  ["select q'[open --", undefined],
  ['a - b / c', undefined],
])('%s', (text, read) => {
  expect(withoutComments(text)).toBe(read)
})

test('[B7.29] hostile texts take no longer than others', () => {
  for (const piece of ['/*', '--', "'", "q'[", ']', '"', '*/', ' ', 'q', "q'a"])
    expect(withoutComments(piece.repeat(300_000))?.length ?? 0).toBeLessThanOrEqual(900_000)
  expect(withoutComments(`${'--\n'.repeat(300_000)}select 1`)?.trim()).toBe('select 1')
})
