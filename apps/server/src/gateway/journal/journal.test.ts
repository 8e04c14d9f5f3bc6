import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Journal, JournalError, type JournalRow, sharedBy } from './journal.ts'

/** Rows of the product; `n` says which, `outcome` what came of it. */
interface Note {
  n: number
  outcome: string
}

const UNKNOWN = sharedBy<Note>({ outcome: 'unknown' })

let path: string
let journal: Journal<Note>
let stored: JournalRow<Note>[]
/** Reaction of the database to rows, besides taking them. */
let database: (rows: readonly JournalRow<Note>[]) => Promise<void>

const open = (maxAside?: number) =>
  Journal.open<Note>({
    path,
    ...(maxAside === undefined ? {} : { maxAside }),
    async store(rows) {
      await database(rows)
      const known = new Set(stored.map(({ id }) => id))
      stored.push(...rows.filter(({ id }) => !known.has(id)))
    },
    log: { error: () => {} },
  })
const begin = (n: number) => journal.begin({ n, outcome: 'unknown' })
const numbers = () => stored.map(({ n }) => n)
const counted = (length: number) => Array.from({ length }, (_, n) => n)
const away = () => Promise.reject(new Error('the database is away'))

beforeEach(async () => {
  path = join(mkdtempSync(join(tmpdir(), 'sallyport-journal-')), 'inside', 'notes.journal')
  stored = []
  database = async () => {}
  journal = await open()
})
afterEach(async () => {
  vi.useRealTimers()
  database = async () => {}
  await journal.close()
  rmSync(join(path, '..', '..'), { recursive: true })
})

test('entries that are over are stored once, in order, and their file is empty again', async () => {
  const entries = await Promise.all(counted(1200).map(begin))
  const dropped = await begin(5000)
  const running = await begin(6000)
  await Promise.all(entries.map((entry, n) => entry.end({ outcome: `done ${n}` })))
  dropped.drop()
  await journal.stored()
  expect(numbers()).toEqual(counted(1200))
  expect(stored.at(-1)?.outcome).toBe('done 1199')
  await running.end()
  await running.end({ outcome: 'twice' })
  await journal.stored()
  expect(stored.at(-1)).toMatchObject({ n: 6000, outcome: 'unknown' })
  expect(statSync(path).size).toBe(0)
})

test('entries that a process leaves are stored at the next start: as they ended, or as they began', async () => {
  database = away
  const [ended, , dropped] = await Promise.all(counted(3).map(begin))
  await ended?.end({ outcome: 'done' })
  dropped?.drop()
  // A process that is killed leaves the file as it is.
  database = async () => {}
  const next = await open()
  await expect
    .poll(() => stored.map(({ n, outcome }) => [n, outcome]))
    .toEqual([
      [0, 'done'],
      [1, 'unknown'],
    ])
  await next.close()
})

test('work that begins together is in the file by one write, before which none of it is; ends that nobody waits for follow', async () => {
  database = away
  const lines = () => readFileSync(path, 'utf8').split('\n').slice(0, -1)
  const entries = counted(3).map((n) => journal.beginTogether({ n }, UNKNOWN))
  expect(lines()).toEqual([])
  journal.write()
  expect(lines()).toHaveLength(3)
  entries[1]?.endSoon(() => ({ outcome: 'done' }))
  entries[2]?.endSoon(() => ({ outcome: 'done, too' }))
  entries[2]?.endSoon(() => ({ outcome: 'twice' }))
  await expect.poll(lines).toHaveLength(5)
  // A process that is killed leaves the file as it is.
  database = async () => {}
  const next = await open()
  await expect.poll(() => stored.map(({ outcome }) => outcome).sort()).toEqual(['done', 'done, too', 'unknown'])
  await next.close()
})

test('ends that nobody waits for reach the database with all others', async () => {
  const entries = counted(100).map((n) => journal.beginTogether({ n }, UNKNOWN))
  journal.write()
  for (const entry of entries) entry?.endSoon(() => ({ outcome: 'done' }))
  await journal.stored()
  expect(numbers()).toEqual(counted(100))
  expect(stored.every(({ outcome }) => outcome === 'done')).toBe(true)
  expect(statSync(path).size).toBe(0)
})

test('with ten thousand rows that neither the database nor a file takes nothing new begins; all of them come when it is back', async () => {
  await journal.close()
  journal = await open(0)
  database = away
  const entries = await Promise.all(counted(10_000).map(begin))
  await Promise.all(entries.map((entry) => entry.end({ outcome: 'done' })))
  await expect(journal.stored()).rejects.toThrow('away')
  await expect(begin(10_000)).rejects.toThrow(JournalError)
  database = async () => {}
  await journal.stored()
  expect(numbers()).toEqual(counted(10_000))
  const one = await begin(10_000)
  await one.end()
  await journal.stored()
  expect(numbers()).toHaveLength(10_001)
})

test('a flood waits for a database that takes rows, and none of it is refused or lost', async () => {
  await Promise.all(counted(25_000).map(async (n) => (await begin(n)).end({ outcome: 'done' })))
  await journal.stored()
  expect(new Set(numbers())).toEqual(new Set(counted(25_000)))
})

const asideFiles = () => readdirSync(dirname(path)).filter((name) => name !== basename(path))

test('a flood waits in files for a database that takes nothing, also beyond the end of the process, and none of it is lost', async () => {
  database = away
  await Promise.all(counted(25_000).map(async (n) => (await begin(n)).end({ outcome: `done ${n}` })))
  await expect.poll(() => asideFiles().length).toBe(23)
  expect(statSync(path).size).toBeLessThan(9 * 1024 * 1024)
  // A process that is killed leaves the files as they are.
  database = async () => {}
  const next = await open()
  await expect.poll(() => stored.length).toBe(25_000)
  expect(stored.every(({ n, outcome }) => outcome === `done ${n}`)).toBe(true)
  await next.stored()
  expect(asideFiles()).toEqual([])
  await next.close()
})

test('rows that wait in files are bounded: a flood is refused once they are full, and comes when the database is back', async () => {
  await journal.close()
  journal = await open(200_000)
  database = away
  const began = await Promise.allSettled(counted(25_000).map(async (n) => (await begin(n)).end({ outcome: 'done' })))
  const refused = began.filter(({ status }) => status === 'rejected')
  expect(refused.length).toBeGreaterThan(5000)
  database = async () => {}
  await journal.stored()
  expect(stored).toHaveLength(25_000 - refused.length)
  expect(asideFiles()).toEqual([])
})

test('what comes during a flood reaches a slow database before the flood does', async () => {
  database = away
  await Promise.all(counted(9_000).map(async (n) => (await begin(n)).end({ outcome: 'done' })))
  await expect.poll(() => asideFiles().length).toBeGreaterThan(5)
  await (await begin(-1)).end()
  let before = 0
  database = async (rows) => {
    if (!numbers().includes(-1)) before += rows.length
  }
  await journal.stored()
  expect(numbers()).toHaveLength(9_001)
  expect(before).toBeLessThan(4_000)
})

test('a process that ends leaves the rest of a flood to the next start', async () => {
  database = away
  await Promise.all(counted(9_000).map(async (n) => (await begin(n)).end({ outcome: 'done' })))
  await expect.poll(() => asideFiles().length).toBeGreaterThan(5)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const slow = Promise.withResolvers<void>()
  database = () => slow.promise
  const closed = journal.close()
  await vi.advanceTimersByTimeAsync(16_000)
  slow.resolve()
  await closed
  vi.useRealTimers()
  expect(asideFiles().length).toBeGreaterThan(5)
  journal = await open()
  await journal.stored()
  expect(new Set(numbers())).toEqual(new Set(counted(9_000)))
  expect(asideFiles()).toEqual([])
})

test('with ten thousand things under way, the next begins when one of them is over', async () => {
  const entries = await Promise.all(counted(10_000).map(begin))
  const begun: string[] = []
  const later = ['first', 'second'].map((name, n) => begin(10_000 + n).then(() => void begun.push(name)))
  await journal.stored()
  expect(begun).toEqual([])
  await entries[0]?.end()
  await later[0]
  expect(begun).toEqual(['first'])
  entries[1]?.drop()
  await later[1]
  expect(begun).toEqual(['first', 'second'])
})

test('while the database is away for long the file does not grow with what needs no row', async () => {
  database = away
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const long = 'x'.repeat(2000)
  const kept = await begin(0)
  await kept.end({ outcome: 'kept' })
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 5000; n++) (await journal.begin({ n, outcome: long })).drop()
    await journal.stored().catch(() => {})
    expect(statSync(path).size).toBeLessThan(9 * 1024 * 1024)
  }
  database = async () => {}
  await journal.stored()
  expect(stored.map(({ outcome }) => outcome)).toEqual(['kept'])
})

test('entries that end while a slow database takes earlier rows come by themselves, though nothing happens any more', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const slow = Promise.withResolvers<void>()
  database = () => slow.promise
  await (await begin(1)).end()
  await vi.advanceTimersByTimeAsync(1000)
  await (await begin(2)).end()
  await vi.advanceTimersByTimeAsync(1000)
  slow.resolve()
  // It moves the timers on as it looks.
  await vi.waitFor(() => expect(numbers()).toEqual([1, 2]), { timeout: 120_000 })
})

test('a row that the database never takes keeps no other back, and stays in the file', async () => {
  database = async (rows) => {
    if (rows.some(({ n }) => n === 7)) throw Object.assign(new Error('invalid byte sequence'), { code: '22021' })
  }
  for (const entry of await Promise.all(counted(20).map(begin))) await entry.end({ outcome: 'done' })
  await journal.stored()
  expect(numbers()).toEqual(counted(20).filter((n) => n !== 7))
  database = async () => {}
  const next = await open()
  await expect.poll(numbers).toContain(7)
  expect(numbers()).toHaveLength(20)
  await next.close()
})
