import { expect, test } from 'vitest'
import { TOP, treeRows } from '../assets/asset-tree.ts'
import { type KeyName, keyTree, patternOf } from './key-tree.ts'

test('keys are in folders by their colons, which say how many they hold; a key may have the name of a folder', () => {
  const keys: KeyName[] = ['user:2:name', 'user:1', 'user', 'plain', ['00ff'], 'user:2:', ':odd']
  const shown = (...open: string[]) =>
    treeRows(keyTree(keys, new Set(open))).map(({ depth, item }) => `${' '.repeat(depth)}${item.name}`)
  expect(shown()).toEqual([': (1)', 'user: (3)', '0x00ff', 'plain', 'user'])
  expect(shown('user:')).toEqual([...[': (1)', 'user: (3)', ' 2: (2)', ' 1', '0x00ff', 'plain', 'user']])
  expect(shown('user:', 'user:2:')).toContain('  user:2:')
  expect(keyTree(keys, new Set()).children.get(TOP)).toHaveLength(5)
})

test('keys and folders stand as people count, within what is loaded', () => {
  const names = (keys: KeyName[]) => treeRows(keyTree(keys, new Set())).map(({ item }) => item.name)
  expect(names(['page10', 'page2', 'page1', 'page', 'v1.10', 'v1.9', '用户 12', '用户 9'])).toEqual([
    ...['page', 'page1', 'page2', 'page10', 'v1.9', 'v1.10', '用户 9', '用户 12'],
  ])
  // A number is compared whole, however many zeros it begins with.
  expect(names(['b:10:x', 'b:9', 'k2:a', 'k10:a', 'k110', 'k20', 'k0100'])).toEqual([
    ...['b: (2)', 'k2: (1)', 'k10: (1)', 'k20', 'k0100', 'k110'],
  ])
})

test('a text without a pattern is looked for within names', () => {
  expect(['', 'user', 'user:*', 'a?b', 'h[ae]llo', 'a\\*'].map(patternOf)).toEqual([
    ...['', '*user*', 'user:*', 'a?b', 'h[ae]llo', 'a\\*'],
  ])
})
