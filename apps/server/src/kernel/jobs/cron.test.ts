import { afterEach, expect, test, vi } from 'vitest'
import { cronFault, nextTime } from './cron.ts'
import { type ScheduleClock, startSchedules } from './schedules.ts'

afterEach(() => vi.useRealTimers())

const next = (cron: string, zone: string, after: string) => nextTime(cron, zone, new Date(after))?.toISOString()

test('eight in Shanghai is midnight in Greenwich, all year', () => {
  expect(next('0 8 * * *', 'Asia/Shanghai', '2026-01-10T12:00:00Z')).toBe('2026-01-11T00:00:00.000Z')
  expect(next('0 8 * * *', 'Asia/Shanghai', '2026-07-10T12:00:00Z')).toBe('2026-07-11T00:00:00.000Z')
})

test('eight in Berlin stays eight there when the clocks are changed', () => {
  expect(next('0 8 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z')).toBe('2026-03-28T07:00:00.000Z')
  expect(next('0 8 * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z')).toBe('2026-03-29T06:00:00.000Z')
  expect(next('0 8 * * *', 'Europe/Berlin', '2026-10-25T00:00:00Z')).toBe('2026-10-25T07:00:00.000Z')
})

test('a time that the change to summer time skips comes at the end of the gap, one that comes twice counts once', () => {
  expect(next('30 2 * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z')).toBe('2026-03-29T01:00:00.000Z')
  const first = next('30 2 * * *', 'Europe/Berlin', '2026-10-24T23:00:00Z') as string
  expect(first).toBe('2026-10-25T00:30:00.000Z')
  expect(next('30 2 * * *', 'Europe/Berlin', first)).toBe('2026-10-26T01:30:00.000Z')
})

test('[A5.09] a cron expression has exactly five parts; Sunday is 0 or 7, and a day that never comes is none', () => {
  expect(['* * * * *', '0 8 * * 1-5', '*/10 2,3 1 1 0', '0 0 * * 7'].filter(cronFault)).toEqual([])
  expect(
    ['', '* * * *', '0 0 8 * * *', '60 * * * *', '0 0 30 2 *', 'daily', '@daily'].filter((text) => !cronFault(text)),
  ).toEqual([])
  expect(next('0 0 * * 0', 'UTC', '2026-11-22T01:00:00Z')).toBe(next('0 0 * * 7', 'UTC', '2026-11-22T01:00:00Z'))
})

test('a schedule is sent at its time of the zone, on the days before and after the clocks change, and not any more when it is stopped', async () => {
  vi.useFakeTimers({ now: new Date('2026-03-27T12:00:00Z') })
  const sent: string[] = []
  const schedules = [
    { name: 'morning', cron: '0 8 * * *', title: 'Morning' },
    { name: 'noon', cron: '0 12 28 * *', title: 'Noon' },
  ]
  const stop = startSchedules(schedules, clockOf('Europe/Berlin'), (all) => {
    for (const { schedule, due } of all)
      sent.push(`${schedule.name} ${due.toISOString()} at ${new Date().toISOString()}`)
  })
  await vi.advanceTimersByTimeAsync(3 * 24 * 3_600_000)
  const times = [
    ['morning', '2026-03-28T07:00:00.000Z'],
    ['noon', '2026-03-28T11:00:00.000Z'],
    ['morning', '2026-03-29T06:00:00.000Z'],
    ['morning', '2026-03-30T06:00:00.000Z'],
  ]
  expect(sent).toEqual(times.map(([name, time]) => `${name} ${time} at ${time}`))
  stop()
  await vi.advanceTimersByTimeAsync(48 * 3_600_000)
  expect(sent.length).toBe(times.length)
})

test('times that the machine slept through are made up for once', async () => {
  vi.useFakeTimers({ now: new Date('2026-11-22T10:00:30Z') })
  const sent: string[] = []
  startSchedules(MINUTELY, clockOf('UTC'), (all) => {
    for (const { due } of all) sent.push(due.toISOString())
  })
  await vi.advanceTimersByTimeAsync(0)
  vi.setSystemTime(new Date('2026-11-22T12:30:10Z'))
  await vi.advanceTimersByTimeAsync(30_000)
  expect(sent).toEqual(['2026-11-22T10:01:00.000Z'])
  await vi.advanceTimersByTimeAsync(20_000)
  expect(sent).toEqual(['2026-11-22T10:01:00.000Z', '2026-11-22T12:31:00.000Z'])
})

test("schedules go by the clock that they are given, whatever the machine's own says, also while it gives no answer for a time", async () => {
  vi.useFakeTimers({ now: new Date('2026-11-22T07:00:30Z') })
  let answers = true
  let silences = 0
  const ahead = (hours: number) => new Date(Date.now() + hours * 3_600_000)
  const clock = {
    ...clockOf('UTC'),
    now: async () => (answers ? ahead(3) : Promise.reject(new Error('away'))),
    onSilence: () => void silences++,
  }
  const sent: string[] = []
  startSchedules(MINUTELY, clock, (all) => {
    for (const { due } of all) sent.push(due.toISOString())
  })
  await vi.advanceTimersByTimeAsync(29_000)
  expect(sent).toEqual([])
  await vi.advanceTimersByTimeAsync(1000)
  expect(sent).toEqual(['2026-11-22T10:01:00.000Z'])
  answers = false
  await vi.advanceTimersByTimeAsync(75_000)
  expect([sent.length, silences]).toEqual([1, 4])
  answers = true
  await vi.advanceTimersByTimeAsync(5000)
  // The two that were missed, once.
  expect(sent).toEqual(['2026-11-22T10:01:00.000Z', '2026-11-22T10:02:00.000Z'])
})

const MINUTELY = [{ name: 'minutely', cron: '* * * * *', title: 'Minutely' }]
const clockOf = (zone: string): ScheduleClock => ({
  zone,
  now: async () => new Date(),
  onSilence: (error) => {
    throw error
  },
})
