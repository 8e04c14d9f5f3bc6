import { expect, test } from 'vitest'
import chinese from '../locales/cn/lib.json' with { type: 'json' }
import { calendarDays, formatDate, formatDuration, formatNumber, formatRelative, parseDate } from './format.ts'
import { setCatalog } from './i18n.ts'

// biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
document.cookie = 'django_language=en; path=/'

test('[B9.19] wire dates and ISO dates are read, and shown on a 24-hour clock', () => {
  expect(parseDate('2026/01/31 21:05:00 +0800')?.toISOString()).toBe('2026-01-31T13:05:00.000Z')
  expect(parseDate('nonsense')).toBeUndefined()
  expect(formatDate(new Date(2026, 0, 31, 21, 5).toISOString())).toBe('01/31/2026, 21:05:00')
  expect(formatDate(null)).toBe('')
})

test('[B9.19] a date has a short form, a medium one to the second, and a long one with its zone', () => {
  const date = '2026/01/31 21:05:06 +0000'
  const forms = (['short', 'medium', 'long'] as const).map((style) => formatDate(date, style, 'UTC'))
  expect(forms).toEqual(['01/31/2026', '01/31/2026, 21:05:06', '01/31/2026, 21:05:06 UTC'])
})

test('[B9.09] relative within seven days, then the date', () => {
  const now = new Date(2026, 0, 10, 12).getTime()
  expect(formatRelative(new Date(2026, 0, 10, 9).toISOString(), now)).toBe('3 hours ago')
  expect(formatRelative(new Date(2026, 0, 3, 12, 0, 1).toISOString(), now)).toBe('7 days ago')
  expect(formatRelative(new Date(2026, 0, 3, 12).toISOString(), now)).toBe('01/03/2026, 12:00:00')
})

test('[B9.21] days are calendar days, whatever the hour', () => {
  expect(calendarDays(new Date(2026, 0, 1, 23, 59), new Date(2026, 0, 2, 0, 1))).toBe(1)
})

test('durations are in their two largest units, as people say them, in both languages', () => {
  const all = [0, 0.44, 9.5, 59.7, 90, 3600, 7500, 7199, 86_400, 93_784, 100_000_000]
  expect(all.map(formatDuration)).toEqual([
    '0 s',
    '0.4 s',
    '9.5 s',
    '1 min',
    '1 min 30 s',
    '1 h',
    '2 h 5 min',
    '2 h',
    '1 d',
    '1 d 2 h',
    '1,157 d 10 h',
  ])
  setCatalog(chinese)
  expect([formatDuration(7500), formatDuration(93_784)]).toEqual(['2 小时 5 分钟', '1 天 2 小时'])
  setCatalog({})
})

test('large numbers have their thousands apart', () => {
  expect([formatNumber(1234), formatNumber(0), formatNumber(3104.26)]).toEqual(['1,234', '0', '3,104.3'])
})
