import { expect, test } from 'vitest'
import { nextRuns } from './CronEditor.tsx'
import { CRON_PARTS, isCron, readCronPart, writeCronPart } from './cron.ts'

test.each(['0 0 * * *', '*/5 1-3 1,15 */2 1-7', '5-59/10 * * * 0', ' 0 3 * * 7 '])(
  '[A5.09 B5.07] %j is a time plan of five parts',
  (text) => {
    expect(isCron(text)).toBe(true)
  },
)

test.each([
  '',
  '0 0 * *',
  '0 0 * * * *',
  '60 0 * * *',
  '0 24 * * *',
  '0 0 0 * *',
  '0 0 * 13 *',
  '0 0 * * 8',
  '5/10 * * * *',
  '3-1 * * * *',
  '*/0 * * * *',
  'a b c d e',
  '@daily',
])('[A5.09 B5.07] %j is none', (text) => {
  expect(isCron(text)).toBe(false)
})

test.each(['*', '3-5', '*/2', '5-59/10', '0,15,30'])(
  'a part that the editor reads (%s) is written back the same',
  (text) => {
    const [minute] = CRON_PARTS
    if (!minute) throw new Error('no minutes')
    const part = readCronPart(text, minute)
    expect(part && writeCronPart(part, minute)).toBe(text)
  },
)

test('a part that the editor has no words for is left alone', () => {
  const [minute] = CRON_PARTS
  expect(minute && readCronPart('1-5,30', minute)).toBeUndefined()
})

test('[B9.23] the next five runs are reported; none for times that never come', () => {
  const sunday = new Date(2026, 10, 21, 12)
  expect(nextRuns('0 3 * * 7', sunday).map((run) => [run.getMonth() + 1, run.getDate(), run.getHours()])).toEqual([
    [11, 22, 3],
    [11, 29, 3],
    [12, 6, 3],
    [12, 13, 3],
    [12, 20, 3],
  ])
  expect(nextRuns('0 0 31 2 *', sunday)).toEqual([])
  expect(nextRuns('nonsense', sunday)).toEqual([])
})
