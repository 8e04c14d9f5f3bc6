import { expect, test } from 'vitest'
import { calendarDays, formatDate, formatDuration, formatRelative, parseDate } from './format.ts'

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

test('durations are in their largest unit with one decimal', () => {
  expect([formatDuration(5400), formatDuration(0), formatDuration(86_400)]).toEqual(['1.5h', '0s', '1d'])
})
