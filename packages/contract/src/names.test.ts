import { expect, test } from 'vitest'
import { partsOf, spoken, visibleName } from './names.ts'

test('a kept name is taken apart at its last pair of parentheses, and one without any stays', () => {
  expect(partsOf('Jan (Ops)(jan)')).toEqual({ name: 'Jan (Ops)', detail: 'jan' })
  expect(partsOf('web-1')).toBeUndefined()
  expect(partsOf('Payments (old)')).toBeUndefined()
})

test('a sentence says a kept name as people write it, and once where both parts are the same', () => {
  expect(['Ann(ann)', 'web-1(10.0.0.1)', 'root(root)', 'nameless()', 'System', 'Payments (old)'].map(spoken)).toEqual([
    'Ann (ann)',
    'web-1 (10.0.0.1)',
    'root',
    'nameless',
    'System',
    'Payments (old)',
  ])
})

test('a name that turns its own direction, or orders a terminal about, is shown as what it is', () => {
  expect(visibleName('up\u202etxt.exe')).toBe('up\\u202etxt.exe')
  expect(visibleName('red\u001b[2J')).toBe('red\\u001b[2J')
  expect(visibleName('表格 – é.txt')).toBe('表格 – é.txt')
})
