// @vitest-environment node
import { expect, test } from 'vitest'
import { readTyped, writeTyped } from './typed-date.ts'

test.each([
  ['2026-12-01 18:00:05', new Date(2026, 11, 1, 18, 0, 5)],
  ['2026-12-01 18:00', new Date(2026, 11, 1, 18)],
  ['2026-12-01T18:00', new Date(2026, 11, 1, 18)],
  [' 2026/1/2 ', new Date(2026, 0, 2)],
  ['2028-02-29', new Date(2028, 1, 29)],
  ['2026年3月4日　5：06：07', new Date(2026, 2, 4, 5, 6, 7)],
])('the text "%s" is a moment', (text, date) => {
  expect(readTyped(text, 'second')).toEqual(date)
})

test.each(
  ['tomorrow', '2026-02-29', '2026-13-01', '2026-00-10', '26-12-01', '0026-12-01', '2026-12-01 24:00'].concat([
    '2026-12-01 1',
    '2026-12-01 10:60',
    '2026-12-01 10:00 11:00',
  ]),
)('the text "%s" is no moment', (text) => {
  expect(readTyped(text, 'second')).toBeUndefined()
})

test('a day has no time, and each is written as it is read', () => {
  expect(readTyped('2026-12-01 10:00', 'day')).toBeUndefined()
  const date = new Date(2026, 0, 2, 3, 4, 5)
  expect(writeTyped(date, 'day')).toBe('2026-01-02')
  expect(readTyped(writeTyped(date, 'second'), 'second')).toEqual(date)
})
