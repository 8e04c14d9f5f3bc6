import { afterEach, expect, test } from 'vitest'
import { readCookie, writeCookie } from './cookies.ts'
import { addTexts, language, setCatalog, startLanguage, t } from './i18n.ts'

afterEach(() => setCatalog({}))

test('[A1.19] without a choice the page is in the language of its document, and nothing is chosen for anybody; a choice wins', async () => {
  const before = readCookie('django_language') ?? ''
  const starts = async (cookie: string, document_: string) => {
    writeCookie('django_language', cookie, cookie ? 1 : 0)
    document.documentElement.lang = document_
    await startLanguage(async () => ({ Yes: '是' }))
    return [
      language(),
      t('Yes'),
      localStorage.getItem('lang'),
      document.documentElement.lang,
      readCookie('django_language'),
    ]
  }
  expect(await starts('', 'zh-CN')).toEqual(['cn', '是', 'cn', 'zh-CN', undefined])
  expect(await starts('', 'en')).toEqual(['en', 'Yes', 'en', 'en-US', undefined])
  expect(await starts('', '')).toEqual(['cn', '是', 'cn', 'zh-CN', undefined])
  expect(await starts('en', 'zh-CN')).toEqual(['en', 'Yes', 'en', 'en-US', 'en'])
  expect(await starts('zh-hans', 'en')).toEqual(['cn', '是', 'cn', 'zh-CN', 'zh-hans'])
  writeCookie('django_language', before, before ? 1 : 0)
})

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
