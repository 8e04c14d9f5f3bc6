import { expect, test } from 'vitest'
import { TOP, treeRows } from '../assets/asset-tree.ts'
import { type KeyName, keyTree, patternOf } from './key-tree.ts'

test('keys stand in folders by their colons, which say how many they hold; a key may be called as a folder is', () => {
  const keys: KeyName[] = ['user:2:name', 'user:1', 'user', 'plain', ['00ff'], 'user:2:', ':odd']
  const shown = (...open: string[]) =>
    treeRows(keyTree(keys, new Set(open))).map(({ depth, item }) => `${' '.repeat(depth)}${item.name}`)
  expect(shown()).toEqual([': (1)', 'user: (3)', '0x00ff', 'plain', 'user'])
  expect(shown('user:')).toEqual([...[': (1)', 'user: (3)', ' 2: (2)', ' 1', '0x00ff', 'plain', 'user']])
  expect(shown('user:', 'user:2:')).toContain('  user:2:')
  expect(keyTree(keys, new Set()).children.get(TOP)).toHaveLength(5)
})

test('what has no sign of a pattern is looked for within names', () => {
  expect(['', 'user', 'user:*', 'a?b', 'h[ae]llo', 'a\\*'].map(patternOf)).toEqual([
    ...['', '*user*', 'user:*', 'a?b', 'h[ae]llo', 'a\\*'],
  ])
})
