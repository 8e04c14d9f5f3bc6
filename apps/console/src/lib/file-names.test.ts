import { expect, test } from 'vitest'
import { fileStem } from './file-names.ts'

test('a file has a name that every system takes, in its own language', () => {
  const names = [
    '港口 1',
    'shop/../etc',
    '.hidden',
    'a:b*c?"<>|',
    'dots...',
    'CON',
    'aux.old',
    'console',
    '???',
    'e\u0301te',
  ]
  expect(names.map((name) => fileStem(name))).toEqual([
    ...['港口-1', 'shop-..-etc', 'hidden', 'a-b-c', 'dots', '_CON', '_aux.old', 'console', 'file', 'éte'],
  ])
  expect([...fileStem('库'.repeat(200))]).toHaveLength(60)
})
