import { afterEach, expect, test } from 'vitest'
import { addTexts, setCatalog, startLanguage, t } from './i18n.ts'

afterEach(() => setCatalog({}))

test('a count stands with the word that fits it; Chinese has one word for all', () => {
  const text = 'Delete {{count|entry|entries}} of {{name}}?'
  expect([1, 2, 0].map((count) => t(text, { count, name: 'a' }))).toEqual([
    'Delete 1 entry of a?',
    'Delete 2 entries of a?',
    'Delete 0 entries of a?',
  ])
  setCatalog({ [text]: '删除 {{name}} 的 {{count}} 项？' })
  expect(t(text, { count: 1, name: 'a' })).toBe('删除 a 的 1 项？')
})

test('a page whose code comes before the shared Chinese keeps its own', async () => {
  const shared = Promise.withResolvers<Record<string, string>>()
  const started = startLanguage(() => shared.promise)
  addTexts({ 'Of the page': '页面的' })
  shared.resolve({ 'Of all': '共用的' })
  await started
  expect([t('Of the page'), t('Of all')]).toEqual(['页面的', '共用的'])
})
