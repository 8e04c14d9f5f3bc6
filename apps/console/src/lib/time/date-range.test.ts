// @vitest-environment node
import { expect, test } from 'vitest'
import { defaultRange, rangeOf } from './date-range.ts'

const now = new Date(2026, 1, 10, 15, 30)
const at = (text: string) => rangeOf(new URLSearchParams(text), defaultRange(2, now), now)

test('[B9.17] the default range goes from 00:00:01 some days back to 23:59:59 today: what happened is not in the future', () => {
  expect(defaultRange(2, now)).toEqual([new Date(2026, 1, 8, 0, 0, 1), new Date(2026, 1, 10, 23, 59, 59)])
})

test('[A2.81] a range in the address wins, half a range is completed from the default', () => {
  expect(at('date_from=2026-01-05T00:00:01.000Z&date_to=2026-01-06T00:00:00.000Z')[0].toISOString()).toBe(
    '2026-01-05T00:00:01.000Z',
  )
  expect(at('date_from=2026-01-05T00:00:01.000Z')[1]).toEqual(new Date(2026, 1, 10, 23, 59, 59))
})

test('[B5.10 B9.18] a range that is none falls back to the last 5 days', () => {
  const fallback = [new Date(2026, 1, 5, 0, 0, 1), new Date(2026, 1, 10, 23, 59, 59)]
  expect(at('date_from=yesterday')).toEqual(fallback)
  expect(at('date_from=2026-02-09T00:00:00Z&date_to=2026-02-01T00:00:00Z')).toEqual(fallback)
  expect(at('date_from=2026-03-01T00:00:00Z&date_to=2026-03-02T00:00:00Z')).toEqual(fallback)
})

test('an old link to a range that ends in the future shows it until the end of today', () => {
  const from = new Date(2026, 1, 5)
  expect(at(`date_from=${from.toISOString()}&date_to=2026-02-28T23:59:59Z`)).toEqual([
    from,
    new Date(2026, 1, 10, 23, 59, 59),
  ])
})
