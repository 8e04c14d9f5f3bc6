import { eq } from 'drizzle-orm'
import { pgTable, text } from 'drizzle-orm/pg-core'
import Fastify from 'fastify'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { id } from '../database/columns.ts'
import { type OpenDatabase, openDatabase } from '../database/database.ts'
import { type Events, openEvents } from '../events/events.ts'
import { createJobs, type Jobs } from './jobs.ts'
import { checkRowSchedule, nextRun, periodicColumns, scheduleRows, sendDueRows } from './row-schedules.ts'
import { withWork } from './schedules.ts'

const plan = pgTable('plan', { id: id(), name: text('name').notNull(), ...periodicColumns() })
const RUN = 'test.run_plan'

const { log } = Fastify({ logger: false })
let database: TestDatabase
let opened: OpenDatabase
let events: Events
let jobs: Jobs

beforeAll(async () => {
  database = await createTestDatabase()
  opened = openDatabase(database.connection)
  await opened.pool.query(`CREATE TABLE plan (id uuid PRIMARY KEY DEFAULT uuidv7(), name text NOT NULL,
    is_periodic boolean NOT NULL, crontab text, interval integer, date_next_run timestamptz)`)
  events = await openEvents(opened.pool, database.connection, log)
  jobs = createJobs(opened, events, log, { worker: false, zone: 'Asia/Shanghai' })
  jobs.work(RUN, async () => {})
  scheduleRows(jobs, opened.db, plan, RUN, 'Run plans')
  await jobs.start()
})
beforeEach(() => opened.pool.query('TRUNCATE plan; DELETE FROM kernel_job'))
afterAll(async () => {
  await jobs?.close()
  await events?.close()
  await opened?.close()
  await database?.drop()
})

const look = (now: string) => sendDueRows(jobs, opened.db, plan, RUN, new Date(now))

/** Names of the plans that were sent since the last call, in order of names. */
async function sent(): Promise<string[]> {
  const { rows } = await opened.pool.query(
    `WITH taken AS (DELETE FROM kernel_job WHERE queue = $1 RETURNING data) SELECT p.name FROM taken JOIN plan p ON p.id::text = data->>'id' ORDER BY 1`,
    [RUN],
  )
  return rows.map(({ name }) => name)
}

const refusal = (row: Parameters<typeof checkRowSchedule>[0]) => {
  try {
    checkRowSchedule(row)
  } catch (error) {
    return (error as { fields: unknown }).fields
  }
}

test('[A5.09] times that cannot be kept are refused at their field', () => {
  const five = { crontab: ['Write five parts: minute, hour, day, month, weekday'] }
  expect(refusal({ is_periodic: true, crontab: '0 8 * *', interval: 24 })).toEqual(five)
  expect(refusal({ is_periodic: false, crontab: '0 0 8 * * *', interval: null })).toEqual(five)
  for (const [crontab, message] of [
    [`0 8 * * ${'1,'.repeat(80)}1`, 'This schedule is too long'],
    ['61 * * * *', 'One part cannot be read: minute 0 to 59, hour 0 to 23, day 1 to 31, month 1 to 12, weekday 0 to 7'],
    ['0 0 30 2 *', 'This schedule never runs'],
  ] as const)
    expect(refusal({ is_periodic: true, crontab, interval: null })).toEqual({ crontab: [message] })
  for (const interval of [0, -1, 65_536, 1.5])
    expect(refusal({ is_periodic: true, crontab: null, interval })).toEqual({
      interval: ['Hours must be a whole number from 1 to 65535'],
    })
  expect(refusal({ is_periodic: true, crontab: null, interval: null })).toEqual({
    is_periodic: ['Give a crontab or an interval of hours'],
  })
  expect(refusal({ is_periodic: true, crontab: '', interval: null })).toEqual({
    is_periodic: ['Give a crontab or an interval of hours'],
  })
  for (const row of [
    { is_periodic: true, crontab: '0 8 * * 1-5', interval: null },
    { is_periodic: true, crontab: null, interval: 65_535 },
    { is_periodic: false, crontab: null, interval: null },
  ])
    expect(refusal(row)).toBeUndefined()
})

test('[A5.09] a crontab goes before hours, by the clocks of the zone, and nothing runs by itself that is not to', () => {
  const after = new Date('2026-11-22T03:00:00Z')
  const next = (row: Parameters<typeof nextRun>[0]) => nextRun(row, 'Asia/Shanghai', after)?.toISOString()
  expect(next({ is_periodic: true, crontab: '0 8 * * *', interval: 6 })).toBe('2026-11-23T00:00:00.000Z')
  expect(next({ is_periodic: true, crontab: null, interval: 6 })).toBe('2026-11-22T09:00:00.000Z')
  expect(next({ is_periodic: false, crontab: '0 8 * * *', interval: 6 })).toBeUndefined()
})

test('each row is sent at its own times, and at the new ones after they were changed', async () => {
  await opened.db.insert(plan).values([
    { name: 'cron', is_periodic: true, crontab: '0 8 * * *' },
    { name: 'hours', is_periodic: true, interval: 6 },
    { name: 'off', is_periodic: false, crontab: '* * * * *' },
    { name: 'never', is_periodic: true },
  ])
  await look('2026-11-22T03:00:00Z')
  expect(await sent()).toEqual([])
  await look('2026-11-22T08:59:00Z')
  expect(await sent()).toEqual([])
  await look('2026-11-22T09:00:00Z')
  expect(await sent()).toEqual(['hours'])
  await look('2026-11-23T00:00:00Z')
  expect(await sent()).toEqual(['cron', 'hours'])
  await opened.db.update(plan).set({ crontab: '0 9 * * *', date_next_run: null }).where(eq(plan.name, 'cron'))
  await look('2026-11-23T00:01:00Z')
  expect(await sent()).toEqual([])
  await look('2026-11-23T01:00:00Z')
  expect(await sent()).toEqual(['cron'])
})

test('a row whose times were missed is sent once, then goes on with the next to come', async () => {
  await opened.db.insert(plan).values({ name: 'minutely', is_periodic: true, crontab: '* * * * *' })
  await look('2026-11-22T03:00:00Z')
  await look('2026-11-22T09:30:10Z')
  expect(await sent()).toEqual(['minutely'])
  await look('2026-11-22T09:30:50Z')
  expect(await sent()).toEqual([])
  await look('2026-11-22T09:31:00Z')
  expect(await sent()).toEqual(['minutely'])
})

test('two nodes that look at once send each row once, also of more rows than a page', async () => {
  await opened.pool.query(`INSERT INTO plan (name, is_periodic, interval, date_next_run)
    SELECT 'plan ' || n, true, 1, '2026-11-22T00:00:00Z' FROM generate_series(1, 1200) n`)
  await Promise.all([look('2026-11-22T03:00:00Z'), look('2026-11-22T03:00:00Z')])
  const names = await sent()
  expect(names.length).toBe(1200)
  expect(new Set(names).size).toBe(1200)
})

test('nobody looks through the rows before one is due, or was changed, and then in time', async () => {
  const isLookedFor = async () => (await withWork(opened.pool, jobs.schedules, log)).length === 1
  const plans = (draft: object) => opened.db.update(plan).set(draft)
  await opened.db.insert(plan).values({ name: 'later', is_periodic: true, interval: 6 })
  expect(await isLookedFor()).toBe(true)
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000)
  await plans({ date_next_run: inHours(1) })
  expect(await isLookedFor()).toBe(false)
  await plans({ date_next_run: inHours(-1) })
  expect(await isLookedFor()).toBe(true)
  await plans({ is_periodic: false })
  expect(await isLookedFor()).toBe(false)
})
