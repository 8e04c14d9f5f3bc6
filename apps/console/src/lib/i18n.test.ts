import { afterEach, expect, test } from 'vitest'
import { setCatalogue, t } from './i18n.ts'

afterEach(() => setCatalogue({}))

test('a count stands with the word that fits it; Chinese has one word for all', () => {
  const text = 'Delete {{count|entry|entries}} of {{name}}?'
  expect([1, 2, 0].map((count) => t(text, { count, name: 'a' }))).toEqual([
    'Delete 1 entry of a?',
    'Delete 2 entries of a?',
    'Delete 0 entries of a?',
  ])
  setCatalogue({ [text]: '删除 {{name}} 的 {{count}} 项？' })
  expect(t(text, { count: 1, name: 'a' })).toBe('删除 a 的 1 项？')
})
