import { expect, test } from 'vitest'
import { translate } from './translate.ts'

test('a count stands with the word that fits it, written as number or as text', () => {
  const text = '{{left|try is|tries are}} left'
  expect([1, '1', 2, 0].map((left) => translate('en', text, { left }))).toEqual([
    '1 try is left',
    '1 try is left',
    '2 tries are left',
    '0 tries are left',
  ])
  expect(translate('en', text)).toBe(text)
})
