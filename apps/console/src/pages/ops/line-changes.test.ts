import { expect, test } from 'vitest'
import { lineChanges } from './line-changes.ts'

const SIGNS = { same: ' ', added: '+', removed: '-' }
const reported = (before: string, after: string) =>
  lineChanges(before, after).map(({ kind, text }) => SIGNS[kind] + text)

test('lines that were added and removed are in their places between those that stayed', () => {
  expect(reported('a\nb\nc\nd', 'a\nc\nx\nd')).toEqual([' a', '-b', ' c', '+x', ' d'])
  expect(reported('a', 'a')).toEqual([' a'])
  expect(reported('', 'a\nb')).toEqual(['-', '+a', '+b'])
  expect(reported('a\na\nb', 'a\nb\nb')).toEqual([' a', '-a', '+b', ' b'])
})

test('texts too long to be compared whole are the old one and the new one', () => {
  const lines = (word: string) => Array.from({ length: 2100 }, (_, at) => `${word} ${at}`).join('\n')
  const changes = lineChanges(`same\n${lines('old')}`, `same\n${lines('new')}`)
  expect(changes.slice(0, 2)).toEqual([
    { kind: 'same', text: 'same' },
    { kind: 'removed', text: 'old 0' },
  ])
  expect(changes).toHaveLength(1 + 2 * 2100)
})
