import { expect, test } from 'vitest'
import { assetOf, crumbsOf, joined, nameProblem, numbered, parentOf } from './paths.ts'

test('a path is walked up and down, and its folders can each be gone to', () => {
  expect([parentOf('/a/b'), parentOf('/a'), parentOf('/')]).toEqual(['/a', '/', '/'])
  expect([joined('/', 'a'), joined('/a', 'b')]).toEqual(['/a', '/a/b'])
  expect(crumbsOf('/a/b c').map(({ path }) => path)).toEqual(['/', '/a', '/a/b c'])
  expect([assetOf('/@id/x'), assetOf('/Default/@id')]).toEqual(['id', undefined])
})

test('a number goes before the ending, but a hidden name has none', () => {
  expect(['a.tar.gz', 'plain', '.profile'].map((name) => numbered(name, 2))).toEqual([
    'a.tar (2).gz',
    'plain (2)',
    '.profile (2)',
  ])
})

test('names that no machine can hold are told apart before they are sent', () => {
  expect(['', 'a/b', '..', '文'.repeat(86), '文'.repeat(85)].map(nameProblem)).toEqual([
    'empty',
    'slash',
    'reserved',
    'long',
    undefined,
  ])
})
