import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../kernel/database/database.ts'
import { announceGone, CHAINED_LOGS, type ChainedLog, chainedTable, sealLog } from './chain.ts'
import { writeSample } from './chained-sample-fixture.ts'
import { signRoot } from './roots.ts'
import {
  addEntry,
  type Chained,
  type Column,
  chainedTables,
  copyRow,
  type Entry,
  first,
  readLines,
  rewrite,
  rewriteEntry,
  run,
  unseen,
} from './tampering-fixture.ts'
import { openVerified, type Verified } from './verifier-fixture.ts'

/**
 * What somebody does who holds the database, but neither the key nor the roots that are kept
 * elsewhere, tried on every table that is chained: as the database lists them, so that another one
 * is tried as it comes, and fails until it has a sample.
 */

/** Columns that may change under the verifier's eyes, and why: whatever else such a table has is evidence. */
const NO_EVIDENCE: Readonly<Record<string, string>> = {
  'ops_command_execution.sign_in_key': 'what ends a running command; who began it is in the chain',
  'ops_command_execution.sign_in_source': 'what ends a running command; who began it is in the chain',
  'terminal_command.due': 'where it goes next',
  'terminal_session.date_last_active': 'heartbeats',
  'terminal_session.is_locked': 'as it is now; events say when and by whom',
  'terminal_session.replay_suffix': 'where the recording is: itself has a checksum',
  'terminal_session.replay_storage': 'where the recording is: itself has a checksum',
  'terminal_session.replay_due': 'where the recording goes next',
  'terminal_session_join_record.verify_code': 'a code, which is no proof of anything',
  'terminal_session_join_record.created_by': 'the joiner once more',
  'terminal_session_join_record.date_created': 'date_joined once more',
  'terminal_session_join_record.date_updated': 'of no meaning',
  'terminal_session_sharing.verify_code': 'a code, which is no proof of anything',
  'terminal_session_sharing.is_active': 'as it is now',
  'terminal_session_sharing.date_updated': 'of no meaning',
  'terminal_statement.milliseconds': 'a measurement',
  'tickets_comment.date_updated': 'of no meaning',
  'tickets_ticket.date_updated': 'of no meaning',
}

interface Attack {
  name: string
  log: ChainedLog
  /** Throws where the database refuses it. */
  act(db: Database): Promise<unknown>
}
type WithEntries = Chained & { entries: string }

let audits: Verified
let tables: Chained[]
/** Those that entries are chained of, and the others. */
let described: WithEntries[]
let plain: Chained[]
/** One table of each log. */
let logs: Chained[]

beforeAll(async () => {
  audits = await openVerified()
  const { db, secrets, kernel, pool } = audits
  await writeSample(pool)
  tables = await chainedTables(pool)
  described = tables.filter((one): one is WithEntries => one.entries !== undefined)
  plain = tables.filter(({ entries }) => entries === undefined)
  logs = [...new Map(tables.map((one) => [one.log, one])).values()]
  // Retention has been there before.
  for (const { log, entries } of logs)
    if (entries) await announceGone(db, secrets, log, new Date(Date.now() - 10 * 86_400_000))
  await signRoot(kernel)
  await audits.keepRoots()
})
afterAll(() => audits?.close())

/** The server goes on meanwhile. */
const seal = (db: Database, log: ChainedLog) => sealLog(db, audits.secrets, log)
const read = async (db: Database, log: ChainedLog) => readLines(await audits.linesOf(db, log))

/**
 * The attacks after which the verifier reports that all holds, and those that the database refused.
 */
async function tried(attacks: readonly Attack[]): Promise<{ unnoticed: string[]; refused: string[] }> {
  const verdicts = await audits.verdicts(attacks.map(({ log, act }) => ({ logs: [log], act })))
  const named = (which: (findings: string[] | undefined) => boolean) =>
    attacks.filter((_, n) => which(verdicts[n])).map(({ name }) => name)
  return {
    unnoticed: named((findings) => findings?.every((line) => line.includes(' rows hold')) === true),
    refused: named((findings) => findings === undefined),
  }
}
const NOTHING = { unnoticed: [], refused: [] }

const onEach = <C extends Chained>(of: C[], how: string, act: (db: Database, of: C) => Promise<unknown>): Attack[] =>
  of.map((chained) => ({ name: `${how}${chained.table}`, log: chained.log, act: (db) => act(db, chained) }))
const onColumns = <C extends Chained>(
  of: C[],
  how: string,
  act: (db: Database, of: C, column: Column) => Promise<unknown>,
): Attack[] =>
  of.flatMap((chained) =>
    chained.columns.map((column) => ({
      name: `${how}${chained.table}.${column.name}`,
      log: chained.log,
      act: (db: Database) => act(db, chained, column),
    })),
  )

test('nobody did anything: all logs hold, and each table has rows', async () => {
  expect((await tried(onEach(logs, '', async () => {}))).unnoticed).toHaveLength(CHAINED_LOGS.length)
  for (const { table } of tables)
    expect([table, (await audits.pool.query(`SELECT FROM ${table} LIMIT 1`)).rowCount]).toEqual([table, 1])
})

test('a value that is rewritten is found in every column that is evidence, triggers on', async () => {
  const { unnoticed } = await tried([
    ...onColumns(tables, '', (db, { table }, column) => rewrite(db, table, column)),
    ...onColumns(tables, 'sealed: ', async (db, { table, log }, column) => {
      await rewrite(db, table, column)
      await seal(db, log)
    }),
  ])
  expect(unnoticed.filter((name) => !NO_EVIDENCE[name.replace('sealed: ', '')])).toEqual([])
})

test('a value that is rewritten unseen is found, also with an entry that says it', async () => {
  const { unnoticed, refused } = await tried([
    ...onColumns(described, '', (db, { table }, column) => unseen(db, table, () => rewrite(db, table, column))),
    ...onColumns(described, 'chained: ', async (db, { table, log, entries }, column) => {
      await unseen(db, table, () => rewrite(db, table, column))
      for (const { entry, now } of await read(db, log))
        if (now && now.body !== entry?.body) await addEntry(db, entries, now)
      await seal(db, log)
    }),
  ])
  expect(refused).toEqual([])
  expect(unnoticed.filter((name) => !name.startsWith('chained: ')).sort()).toEqual(Object.keys(NO_EVIDENCE).sort())
  expect(unnoticed.filter((name) => !NO_EVIDENCE[name.replace('chained: ', '')])).toEqual([])
})

test('a value that is changed in a chain with recomputed hashes is found by the root', async () => {
  const attacks = onEach(tables, '', async (db, { table, log, entries, columns }) => {
    const column = columns.find(({ name, type }) => type === 'text' && !NO_EVIDENCE[`${table}.${name}`])
    if (!column) throw new Error(`what is forged in ${table}?`)
    await unseen(db, table, () => rewrite(db, table, column))
    for (const line of entries ? await read(db, log) : [])
      if (line.now && line.now.body !== line.entry?.body) await rewriteEntry(db, String(entries), line, line.now.body)
    await run(db, `UPDATE ${chainedTable(log)} SET chain_number = NULL, chain_hash = NULL`)
    await run(db, `DELETE FROM audits_chain WHERE log = '${log}'`)
    await seal(db, log)
  })
  expect(await tried(attacks)).toEqual(NOTHING)
})

test('a row that is taken out is found, whatever entry excuses it', async () => {
  /** Takes out a row with all that belongs to it, and adds an entry for each that misses its row. */
  const excused = (how: string, excuse?: (entry: Entry) => Partial<Entry>): Attack[] =>
    onEach(described, how, async (db, { table, log, entries }) => {
      await run(db, `DELETE FROM ${table} WHERE ${first(table)}`)
      for (const { entry, now } of await read(db, log))
        if (entry && !now && excuse) await addEntry(db, entries, { ...entry, ...excuse(entry) })
      await seal(db, log)
    })
  const id = '0192f0c5-8a6e-7c1a-9d5e-3f2b1a0c4d5e'
  expect(
    await tried([
      ...excused(''),
      ...excused('moved out: ', () => ({ body: `moved:${id}` })),
      ...excused('moved out, as if signed: ', () => ({ body: `moved:${id}:${'A'.repeat(86)}==` })),
      ...excused('gone with its version: ', () => ({ body: 'gone:version' })),
      ...excused('amended: ', ({ body }) => ({ body: `amended:${createHash('sha256').update(body).digest('hex')}` })),
      ...excused('as if it were old: ', () => ({ date: '2000-01-01' })),
      ...onEach(plain, '', (db, { table }) => run(db, `DELETE FROM ${table} WHERE ${first(table)}`)),
    ]),
  ).toEqual(NOTHING)
})

test('a row that is put in unseen is found, however old it says that it is', async () => {
  expect(
    await tried([
      ...onEach(described, '', (db, chained) => unseen(db, chained.table, () => copyRow(db, chained))),
      ...onEach(described, 'old: ', (db, chained) =>
        unseen(db, chained.table, () => copyRow(db, chained, '2000-01-01')),
      ),
      ...onEach(plain, 'with a hash of its own: ', async (db, chained) => {
        await copyRow(db, chained)
        const next = `(SELECT max(chain_number) + 1 FROM ${chained.table})`
        await run(
          db,
          `UPDATE ${chained.table} SET chain_hash = '\\x00', chain_number = ${next} WHERE chain_number IS NULL`,
        )
      }),
    ]),
  ).toEqual(NOTHING)
})

test('in the chain itself: entries of no row and no kind, a tail that is cut, places that are exchanged', async () => {
  const newest = (log: ChainedLog) => `chain_number = (SELECT max(chain_number) FROM ${chainedTable(log)})`
  const withAnEntry = (how: string, forge: (entry: Entry) => Partial<Entry>): Attack[] =>
    onEach(
      logs.filter(({ entries }) => entries),
      how,
      async (db, { log }) => {
        const [line] = await read(db, log)
        if (line?.entry) await addEntry(db, chainedTable(log), { ...line.entry, ...forge(line.entry) })
        await seal(db, log)
      },
    )
  expect(
    await tried([
      ...withAnEntry('one that says nothing: ', () => ({ body: '["forged"]' })),
      ...withAnEntry('one that can’t be read: ', () => ({ body: '[forged' })),
      ...withAnEntry('of another kind: ', () => ({ kind: 'forged' })),
      ...withAnEntry('of no row: ', () => ({ row_id: '0192f0c5-8a6e-7c1a-9d5e-3f2b1a0c4d5e' })),
      ...onEach(logs, 'a tail that is cut: ', (db, { log }) =>
        run(db, `DELETE FROM ${chainedTable(log)} WHERE ${newest(log)}`),
      ),
      ...onEach(logs, 'a tail that is cut and grows again: ', async (db, { log }) => {
        await run(db, `UPDATE ${chainedTable(log)} SET chain_number = NULL WHERE ${newest(log)}`)
        await seal(db, log)
      }),
      ...onEach(logs, 'two places exchanged: ', async (db, { log }) => {
        await run(db, `UPDATE ${chainedTable(log)} SET chain_number = chain_number - 3 WHERE chain_number < 3`)
        await run(db, `UPDATE ${chainedTable(log)} SET chain_number = -chain_number WHERE chain_number < 0`)
      }),
      ...onEach(logs, 'all of it: ', (db, { log }) => run(db, `DELETE FROM ${chainedTable(log)}`)),
    ]),
  ).toEqual(NOTHING)
})

test('an entry that says something else of a row, chained as the product would, is found value by value', async () => {
  const attacks: Attack[] = []
  for (const log of new Set(described.map((one) => one.log))) {
    const lines = await audits.db.transaction((tx) => read(tx, log))
    for (const now of new Map(lines.map((line) => [line.now?.kind, line.now])).values()) {
      if (!now) continue
      const parts = now.body.startsWith('[') ? (JSON.parse(now.body) as unknown[]) : undefined
      const forgeries = parts
        ? parts.map((_, at) => JSON.stringify(parts.with(at, 'forged')))
        : [createHash('sha256').update('forged').digest('hex')]
      for (const [at, body] of forgeries.entries())
        attacks.push({
          name: `${now.kind}, value ${at}`,
          log,
          act: async (db) => {
            await addEntry(db, chainedTable(log), { ...now, body })
            await seal(db, log)
          },
        })
    }
  }
  expect(attacks.length).toBeGreaterThan(50)
  expect(await tried(attacks)).toEqual(NOTHING)
})
