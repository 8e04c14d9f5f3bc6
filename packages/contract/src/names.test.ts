import { expect, test } from 'vitest'
import { partsOf, spoken } from './names.ts'

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
