import { expect, test } from 'vitest'
import { textOf, typedValue } from './cell-text.ts'

test('lists of words read with commas, what holds commas or objects as JSON', () => {
  expect([
    textOf(['ssh/22', 'rdp/3389']),
    textOf(['a,b']),
    textOf([]),
    textOf({ a: 1 }),
    textOf(null),
    textOf(false),
  ]).toEqual(['ssh/22, rdp/3389', '["a,b"]', '', '{"a":1}', '', 'false'])
})

test('text typed over a list is a list, over an object an object, else text', () => {
  expect(typedValue(' ssh/22, rdp/3389 ', [])).toEqual(['ssh/22', 'rdp/3389'])
  expect(typedValue('["a,b"]', ['x'])).toEqual(['a,b'])
  expect(typedValue('', ['x'])).toEqual([])
  expect(typedValue('{"a":2}', { a: 1 })).toEqual({ a: 2 })
  expect(typedValue('{"a":', { a: 1 })).toBe('{"a":')
  expect(typedValue(' 8080 ', 80)).toBe('8080')
})
