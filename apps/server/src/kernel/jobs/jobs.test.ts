import { sql } from 'drizzle-orm'
import Fastify from 'fastify'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { type OpenDatabase, openDatabase } from '../database/database.ts'
import { openEvents } from '../events/events.ts'
import { createJobs, type Jobs, type JobsOptions } from './jobs.ts'
import { idOfRun, withWork } from './schedules.ts'

const HOUR = 3600
const { log: QUIET } = Fastify({ logger: false })

let database: TestDatabase
let closing: (() => Promise<unknown>)[]

beforeEach(async () => {
  database = await createTestDatabase()
  closing = []
})
afterEach(async () => {
  for (const close of closing.reverse()) await close()
  await database.drop()
})

interface Node {
  jobs: Jobs
  opened: OpenDatabase
  /** Statements that went to the database. */
  statements: string[]
}

/**
 * A node on the test's database, whose net under the notifications is drawn once an hour if not
 * said otherwise.
 */
async function aNode(
  declare: (jobs: Jobs) => void,
  options: Partial<JobsOptions> = {},
  { pool = {}, log = QUIET }: { pool?: pg.PoolConfig; log?: typeof QUIET } = {},
): Promise<Node> {
  const opened = openDatabase({ ...database.connection, ...pool })
  const statements: string[] = []
  const query = opened.pool.query.bind(opened.pool) as (...parameters: unknown[]) => unknown
  opened.pool.query = ((...parameters: unknown[]) => {
    statements.push(String((parameters[0] as { text?: string }).text ?? parameters[0]))
    return query(...parameters)
  }) as typeof opened.pool.query
  const events = await openEvents(opened.pool, database.connection, QUIET)
  const jobs = createJobs(opened, events, log, { worker: true, lookSeconds: HOUR, ...options })
  declare(jobs)
  await jobs.start()
  closing.push(
    () => opened.close(),
    () => events.close(),
    () => jobs.close(),
  )
  return { jobs, opened, statements }
}

/** Something that comes to pass once. */
function moment<T = void>() {
  return Promise.withResolvers<T>()
}

async function ask(text: string, values: unknown[] = []) {
  const client = new pg.Client(database.connection)
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

test('work that one node sends is taken by a worker of another at once, long before anybody looks for it', async () => {
  const taken = moment<unknown>()
  const declare = (jobs: Jobs) =>
    jobs.work<{ word: string }>('test.greet', async (data, id) => taken.resolve({ ...data, id }))
  await aNode(declare)
  const { jobs } = await aNode(declare, { worker: false })
  const id = await jobs.send('test.greet', { word: 'hello' })
  expect(await taken.promise).toEqual({ word: 'hello', id })
})

test('a node whose connections are all taken for longer than it waits for one goes on, and does what was due when one is free', async () => {
  const [done, later] = [moment(), moment()]
  const logged: unknown[] = []
  const log = Object.assign(Object.create(QUIET), { error: (what: object) => logged.push(what) })
  const declare = (jobs: Jobs) => {
    jobs.work('test.due', async () => done.resolve(), { perOwner: 1 })
    jobs.work('test.later', async () => later.resolve())
  }
  const { opened } = await aNode(declare, { lookSeconds: 1 }, { pool: { max: 3 }, log })
  const { jobs } = await aNode(declare, { worker: false })
  const taken = await Promise.all([1, 2, 3].map(() => opened.pool.connect()))
  const free = () => {
    for (const client of taken.splice(0)) client.release()
  }
  closing.push(async () => free())
  // Only now: three new connections may take longer than that themselves.
  opened.pool.options.connectionTimeoutMillis = 100
  await jobs.send('test.later', {}, { startAfterSeconds: 1 })
  await jobs.send('test.due', {})
  await expect.poll(() => logged).toContainEqual({ jobs: ['test.due'], err: expect.any(Error) })
  // The look that comes when the other is due.
  await expect.poll(() => logged).toContainEqual({ err: expect.any(Error) })
  free()
  await Promise.all([done.promise, later.promise])
})

test('work for later is taken when its time comes', async () => {
  const taken = moment<number>()
  const { jobs } = await aNode((one) => one.work('test.later', async () => taken.resolve(Date.now())))
  const sent = Date.now()
  await jobs.send('test.later', {}, { startAfterSeconds: 1 })
  expect((await taken.promise) - sent).toBeGreaterThanOrEqual(1000)
})

test('jobs that were sent while no worker ran are taken when one starts; those of a transaction, when and only when it commits', async () => {
  const words: string[] = []
  const all = moment()
  const declare = (jobs: Jobs) =>
    jobs.work<{ word: string }>('test.word', async ({ word }) => {
      words.push(word)
      if (words.length === 3) all.resolve()
    })
  const { jobs, opened } = await aNode(declare, { worker: false })
  await jobs.send('test.word', { word: 'waiting' })
  await aNode(declare)
  await opened.db.transaction((tx) => jobs.sendIn(tx, 'test.word', [{ word: 'one' }, { word: 'two' }]))
  await expect(
    opened.db.transaction(async (tx) => {
      await jobs.sendIn(tx, 'test.word', [{ word: 'never' }])
      throw new Error('rolled back')
    }),
  ).rejects.toThrow('rolled back')
  await all.promise
  expect(words.toSorted()).toEqual(['one', 'two', 'waiting'])
  expect(
    await ask(`SELECT 1 FROM kernel_job WHERE queue = 'test.word' AND state <> 'done' AND data->>'word' = 'never'`),
  ).toEqual([])
})

test('a node runs no more jobs of a kind at a time than its limit, and takes the rest as soon as there is room', async () => {
  const gates = Array.from({ length: 6 }, () => moment())
  const started = Array.from({ length: 6 }, () => moment())
  let running = 0
  let most = 0
  const { jobs } = await aNode((one) =>
    one.work<{ n: number }>(
      'test.bounded',
      async ({ n }) => {
        most = Math.max(most, ++running)
        started[n]?.resolve()
        await gates[n]?.promise
        running -= 1
      },
      { concurrency: 2 },
    ),
  )
  for (let n = 0; n < 6; n++) await jobs.send('test.bounded', { n })
  for (let n = 0; n < 6; n++) {
    await started[n]?.promise
    await started[n + 1]?.promise
    gates[n]?.resolve()
  }
  expect(most).toBe(2)
})

/** Work of which one owner gets two at a time, each of which goes on until it is ended. */
function sharedWork() {
  const begun: { owner: string; end: () => void }[] = []
  return {
    declare: (concurrency: number) => (jobs: Jobs) =>
      jobs.work<{ owner: string }>(
        'test.shared',
        async ({ owner }) => {
          const { promise, resolve } = moment()
          begun.push({ owner, end: resolve })
          await promise
        },
        { concurrency, perOwner: 2 },
      ),
    async send(jobs: Jobs, owners: string) {
      for (const owner of owners) await jobs.send('test.shared', { owner }, { owner })
    },
    /** The owners of all that was taken, in order of their names. */
    begun: () =>
      begun
        .map(({ owner }) => owner)
        .toSorted()
        .join(''),
    /** Ends what was taken of theirs. */
    end: (owners: string) => {
      for (const { owner, end } of begun) if (owners.includes(owner)) end()
    },
  }
}

test('one owner gets a share of what a node does at a time: others’ jobs are taken before more of theirs, which wait for their own to end', async () => {
  const work = sharedWork()
  const { jobs } = await aNode(work.declare(4))
  await work.send(jobs, 'aaaa')
  await expect.poll(work.begun).toBe('aa')
  // There is room, and two more of the first owner's are due, whenever one of these is taken.
  await work.send(jobs, 'b')
  await expect.poll(work.begun).toBe('aab')
  work.end('b')
  await work.send(jobs, 'cc')
  await expect.poll(work.begun).toBe('aabcc')
  work.end('c')
  await work.send(jobs, 'd')
  await expect.poll(work.begun).toBe('aabccd')
  work.end('a')
  await expect.poll(work.begun).toBe('aaaabccd')
  work.end('ad')
})

test('nodes that take jobs at the same time give an owner one share, not one each', async () => {
  const work = sharedWork()
  const { jobs } = await aNode(work.declare(4), { worker: false })
  await work.send(jobs, 'aaaab')
  // A node that takes a job waits with it until the test lets go.
  await ask(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NEW; END'`)
  await ask(`CREATE TRIGGER hold BEFORE UPDATE ON kernel_job FOR EACH ROW
    WHEN (NEW.state = 'running') EXECUTE FUNCTION hold()`)
  const holder = new pg.Client(database.connection)
  await holder.connect()
  closing.push(() => holder.end())
  await holder.query('SELECT pg_advisory_lock(1)')
  const waiting = () =>
    ask(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
  // The first has room for two; what the second may have of the rest is the other owner's.
  await aNode(work.declare(2))
  await expect.poll(waiting).toHaveLength(1)
  await aNode(work.declare(4))
  await expect.poll(waiting).toHaveLength(2)
  await holder.query('SELECT pg_advisory_unlock(1)')
  await expect.poll(work.begun).toBe('aab')
  work.end('a')
  await expect.poll(work.begun).toBe('aaaab')
  work.end('ab')
})

test('a job that fails is tried again as often as it may, and no more', async () => {
  const tries: string[] = []
  const over = moment()
  const { jobs } = await aNode((one) => {
    one.work('test.once', async () => {
      tries.push('once')
      throw new Error('no')
    })
    one.work(
      'test.thrice',
      async () => {
        tries.push('thrice')
        throw new Error('no')
      },
      { retries: 2 },
    )
    one.work('test.over', async () => over.resolve())
  })
  await jobs.send('test.once', {})
  await jobs.send('test.thrice', {})
  const failed = () => ask(`SELECT queue FROM kernel_job WHERE state = 'failed' ORDER BY queue`)
  await expect.poll(failed).toEqual([{ queue: 'test.once' }, { queue: 'test.thrice' }])
  expect(tries.toSorted()).toEqual(['once', 'thrice', 'thrice', 'thrice'])
})

test('a job whose node died is taken up by another, once', async () => {
  const begun = moment<string>()
  const again = moment<string>()
  const dying = await aNode((jobs) =>
    jobs.work('test.long', (_, id) => {
      begun.resolve(id)
      return new Promise(() => {})
    }),
  )
  await dying.jobs.send('test.long', {})
  const id = await begun.promise
  await aNode((jobs) => jobs.work('test.long', async (_, taken) => again.resolve(taken)), { lookSeconds: 0.2 })
  // It says nothing any more: its last word was long ago.
  await ask(`UPDATE kernel_job SET date_heard = now() - interval '1 hour' WHERE id = $1`, [id])
  expect(await again.promise).toBe(id)
  await expect
    .poll(() => ask('SELECT state, tries FROM kernel_job WHERE id = $1', [id]))
    .toEqual([{ state: 'done', tries: 2 }])
})

test('a job that a node does not finish while it stops is left for another', async () => {
  const begun = moment<string>()
  const again = moment<string>()
  const node = await aNode((jobs) =>
    jobs.work('test.stopped', (_, id) => {
      begun.resolve(id)
      return new Promise(() => {})
    }),
  )
  await node.jobs.send('test.stopped', {})
  const id = await begun.promise
  await node.jobs.close()
  // It looks as it starts, and not again for an hour.
  await aNode((jobs) => jobs.work('test.stopped', async (_, taken) => again.resolve(taken)))
  expect(await again.promise).toBe(id)
})

test('a job whose node dies again is given up, and can be done once more on demand', async () => {
  const end = moment()
  let begun = 0
  const declare = (jobs: Jobs) => jobs.work('test.deadly', () => (++begun < 3 ? end.promise : Promise.resolve()))
  const { jobs } = await aNode(declare, { lookSeconds: 0.2 })
  const id = await jobs.send('test.deadly', {})
  const state = () => ask('SELECT state, tries, error FROM kernel_job')
  for (const tries of [1, 2]) {
    await expect.poll(state).toMatchObject([{ state: 'running', tries }])
    await ask(`UPDATE kernel_job SET date_heard = now() - interval '1 hour'`)
    // There is room on another node alone: what was begun here goes on.
    if (tries === 1) await aNode(declare)
  }
  await expect.poll(state).toEqual([{ state: 'failed', tries: 2, error: 'its node was stopped, or died' }])
  expect(await jobs.withdraw('test.deadly', id)).toBe(false)
  expect(await jobs.retry('test.deadly', id)).toBe(true)
  await aNode(declare)
  await expect.poll(state).toEqual([{ state: 'done', tries: 3, error: '' }])
  expect(await jobs.retry('test.deadly', id)).toBe(false)
  end.resolve()
})

test('a node that was taken for dead cannot end the job that another does meanwhile', async () => {
  const gates = [moment(), moment()]
  const begun: string[] = []
  const declare = (jobs: Jobs) =>
    jobs.work('test.twice', async (_, id) => {
      const gate = gates[begun.length]
      begun.push(id)
      await gate?.promise
    })
  const { jobs } = await aNode(declare)
  await jobs.send('test.twice', {})
  await expect.poll(() => begun.length).toBe(1)
  await ask(`UPDATE kernel_job SET date_heard = now() - interval '1 hour'`)
  const another = await aNode(declare)
  await expect.poll(() => begun.length).toBe(2)
  gates[0]?.resolve()
  await expect.poll(() => jobs.working()[0]?.running).toEqual([])
  expect(await ask('SELECT state FROM kernel_job')).toEqual([{ state: 'running' }])
  gates[1]?.resolve()
  await expect.poll(() => another.jobs.working()[0]?.running).toEqual([])
  expect(await ask('SELECT state FROM kernel_job')).toEqual([{ state: 'done' }])
})

test('what ended a week ago is forgotten, and what failed yesterday is kept', async () => {
  await ask(`INSERT INTO kernel_job (queue, data, state, date_finished) VALUES
    ('test.old', '{}', 'done', now() - interval '8 days'), ('test.old', '{}', 'failed', now() - interval '8 days'),
    ('test.new', '{}', 'failed', now() - interval '1 day')`)
  await aNode(() => {})
  expect(await ask('SELECT queue FROM kernel_job')).toEqual([{ queue: 'test.new' }])
})

test('all nodes send the same run of a schedule, and one does it', async () => {
  const due = new Date('2026-11-22T08:00:00Z')
  // No clock sends one of its own meanwhile.
  const schedule = { name: 'test.rarely', cron: '0 0 29 2 *', title: 'Rarely' }
  const runs: string[] = []
  const declare = (jobs: Jobs) => jobs.schedule(schedule, async () => void runs.push('run'))
  const nodes = [await aNode(declare), await aNode(declare)]
  const id = idOfRun(schedule, due)
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/)
  const results = await Promise.allSettled(nodes.map(({ jobs }) => jobs.send(schedule.name, {}, { id })))
  expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(1)
  await expect.poll(() => ask(`SELECT state FROM kernel_job WHERE id = $1`, [id])).toEqual([{ state: 'done' }])
  expect(runs).toEqual(['run'])
})

test('an idle worker of twenty kinds of work asks the database for nothing but the one look', async () => {
  const { statements } = await aNode(
    (jobs) => {
      for (let n = 0; n < 20; n++) jobs.work(`test.kind_${n}`, async () => {}, { concurrency: 4 })
    },
    { lookSeconds: 0.05 },
  )
  const looks = () => statements.filter((text) => text.includes('min(date_due)')).length
  const others = () => statements.filter((text) => !text.includes('min(date_due)')).length
  await expect.poll(looks).toBeGreaterThan(10)
  // What housekeeping is left comes once at the start, and then once a minute or an hour.
  const before = others()
  await expect.poll(looks).toBeGreaterThan(30)
  expect(others() - before).toBeLessThan(5)
})

test('one statement asks which schedules have something to do; those that cannot tell always run', async () => {
  const { opened } = await aNode(() => {})
  // Its own: what the node itself asks for meanwhile is not counted.
  const asked: string[] = []
  const db = {
    query: (text: string, values: unknown[]) => {
      asked.push(text)
      return opened.pool.query(text, values)
    },
  } as Pick<pg.PoolClient, 'query'>
  const rarely = { cron: '0 0 29 2 *', title: 'Rarely' }
  const waiting = { ...rarely, name: 'test.waiting', hasWork: () => sql`${1} + 1 = 2 OR false` }
  const idle = {
    ...rarely,
    name: 'test.idle',
    hasWork: () => sql`EXISTS (SELECT 1 FROM kernel_job WHERE queue = ${'none'})`,
  }
  const plain = { ...rarely, name: 'test.plain' }
  expect(await withWork(db, [idle, plain, waiting], QUIET)).toEqual([plain, waiting])
  expect(asked.length).toBe(1)
  expect(await withWork(db, [plain], QUIET)).toEqual([plain])
  expect(asked.length).toBe(1)
  // A condition that fails stops nobody.
  const faulty = { ...rarely, name: 'test.faulty', hasWork: () => sql`1 / ${0}::int = 1` }
  const unable = {
    ...rarely,
    name: 'test.unable',
    hasWork: () => {
      throw new Error('no settings yet')
    },
  }
  expect(await withWork(db, [idle, faulty, waiting], QUIET)).toEqual([idle, faulty, waiting])
  expect(await withWork(db, [unable, waiting], QUIET)).toEqual([unable, waiting])
})
