import type { CapacityFigures } from '@sallyport/contract/resources/monitor/capacity.ts'
import { expect, test } from 'vitest'
import { capacityOf } from './model.ts'

/** Round figures, so that what comes of them can be worked out by hand. */
const FIGURES: CapacityFigures = {
  key_cpu: 0.2,
  command_cpu: 1,
  session_cpu: 11.25,
  session_threads: 25,
  statement_cpu: 0.2,
  session_rows: 100,
  command_rows: 5_000,
  store_write: 100,
  free_memory: 2_000,
  free_disk: 15_000,
  processors: 2,
}
const peopleBy = (figures: readonly CapacityFigures[]) =>
  Object.fromEntries(capacityOf(figures)?.parts.map(({ part, people }) => [part, people]) ?? [])

test('people at a terminal are counted by what a command of ten seconds and a session of half an hour cost each part', () => {
  expect(peopleBy([FIGURES])).toEqual({
    // A second of work: 0.1 × (12 × 0.2 + 1) + 1.6 × 11.25 / 1,800 = 0.35 ms of the thread; 0.7 / 0.00035 = 2,000.
    processor: 2_000,
    // 0.1 / 5,000 + 1 / (1,800 × 100) = 25.56 µs; 0.7 / 25.56 µs.
    database: 27_391,
    // 0.15 MB an hour at 100 MB/s.
    store: 1_680_000,
    memory: 2_800,
    sessions: 1_000,
  })
})

test('the part that carries fewest is full first, and says how many people there are room for', () => {
  expect(capacityOf([FIGURES])).toMatchObject({
    people: 1_000,
    parts: [{ part: 'sessions', people: 1_000 }, {}, {}, {}, {}],
  })
  const slow = capacityOf([{ ...FIGURES, key_cpu: 2, command_cpu: 10, session_cpu: 112.5 }])
  expect(slow?.parts[0]).toEqual({ part: 'processor', people: 200 })
  expect(slow?.people).toBe(200)
  expect(capacityOf([{ ...FIGURES, free_memory: 100 }])?.parts[0]).toEqual({ part: 'memory', people: 140 })
  expect(capacityOf([{ ...FIGURES, command_rows: 50 }])?.parts[0]?.part).toBe('database')
})

test('new sessions and statements are as many as threads and database both take, and the disk keeps so many hours', () => {
  // 1,000 / 11.25 / 1.6 = 55.6 sessions a second by the main thread, 2,000 / 25 / 1.6 = 50 by all, 100 by the
  // database; 70 % of the least.
  expect(capacityOf([FIGURES])).toMatchObject({
    sessions_a_minute: 2_100,
    statements_a_second: 3_500,
    hours_kept: 100_000,
  })
  expect(capacityOf([{ ...FIGURES, session_rows: 10, command_rows: 1_000 }])).toMatchObject({
    sessions_a_minute: 420,
    statements_a_second: 700,
  })
})

test('nodes together have their processors and memory, and one database', () => {
  const two = [FIGURES, { ...FIGURES, command_rows: 4_000 }]
  expect(peopleBy(two)).toMatchObject({ processor: 4_000, sessions: 2_000, memory: 5_600 })
  expect(peopleBy(two).database).toBe(peopleBy([two[1] ?? {}]).database)
  expect(capacityOf(two)?.statements_a_second).toBe(2_800)
})

test('without a figure that is needed nothing is said', () => {
  const { session_cpu: _, ...rest } = FIGURES
  expect(capacityOf([rest])).toBeUndefined()
  expect(capacityOf([{ ...FIGURES, session_cpu: 0 }])).toBeUndefined()
  expect(capacityOf([FIGURES, rest])).toBeUndefined()
  expect(capacityOf([])).toBeUndefined()
})
