import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../kernel/database/database.ts'
import { announceGone, CHAINED_LOGS, type ChainedLog, chainedTable, sealLog } from './chain.ts'
import { writeSample } from './chained-sample-fixture.ts'
import { signRoot } from './roots.ts'
import { openVerified, type Verified } from './verifier-fixture.ts'

/**
 * What somebody does who holds the database, but neither the key nor the roots that are kept
 * elsewhere, tried on every table that is chained: as the database lists them, so that another one
 * is tried as it comes.
 */

/** Columns that may change under the verifier's eyes, and why: whatever else such a table has is evidence. */
const NO_EVIDENCE: Readonly<Record<string, string>> = {
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

interface Chained {
  table: string
  log: ChainedLog
  /** Where its entries are; undefined where the rows themselves are chained. */
  entries: string | undefined
  columns: { name: string; type: string; words: string[] }[]
}
interface Attack {
  name: string
  log: ChainedLog
  /** Throws where the database refuses it. */
  act(db: Database): Promise<unknown>
}

let audits: Verified
let tables: Chained[]

beforeAll(async () => {
  audits = await openVerified()
  const { db, secrets, kernel, pool } = audits
  await writeSample(pool)
  tables = await chainedTables()
  // Retention has been there before.
  for (const { log, entries } of tables)
    if (entries) await announceGone(db, secrets, log, new Date(Date.now() - 10 * 86_400_000))
  await signRoot(kernel)
  await audits.keepRoots()
})
afterAll(() => audits?.close())

/** Whatever has the columns of a chain, or triggers that write entries. */
async function chainedTables(): Promise<Chained[]> {
  const { rows } = await audits.pool.query<{ table: string; entries: string | null }>(`
    SELECT c.relname AS table, NULL AS entries FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relkind = 'r' AND a.attname = 'chain_number' AND c.relname NOT LIKE '%\\_entry'
    UNION SELECT t.tgrelid::regclass::text, substring(p.prosrc from 'INSERT INTO (audits_[a-z]+_entry)')
      FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid WHERE t.tgname LIKE 'audits\\_chain%'
    ORDER BY 1`)
  return Promise.all(
    rows.map(async ({ table, entries }) => {
      const log = CHAINED_LOGS.find((one) => chainedTable(one) === (entries ?? table))
      if (!log) throw new Error(`${table} is in no chain`)
      return { table, log, entries: entries ?? undefined, columns: await columnsOf(table) }
    }),
  )
}

/** With the words that checks of the table name for each. */
async function columnsOf(table: string): Promise<Chained['columns']> {
  const { rows } = await audits.pool.query<{ name: string; type: string; checks: string | null }>(
    `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
       (SELECT string_agg(pg_get_constraintdef(k.oid), ' ') FROM pg_constraint k
        WHERE k.conrelid = a.attrelid AND k.contype = 'c' AND a.attnum = ANY (k.conkey)) AS checks
     FROM pg_attribute a WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped
       AND a.attgenerated = '' AND a.attidentity = '' AND a.attname NOT IN ('chain_number', 'chain_hash')`,
    [table],
  )
  return rows.map(({ checks, ...column }) => ({
    ...column,
    words: [...(checks ?? '').matchAll(/'([^']*)'/g)].map(([, word]) => String(word)),
  }))
}

const FORGED: Readonly<Record<string, (column: string) => string>> = {
  text: () => `'forged'`,
  uuid: () => 'uuidv7()',
  boolean: (column) => `NOT ${column}`,
  integer: (column) => `coalesce(${column}, 0) + 1`,
  bigint: (column) => `coalesce(${column}, 0) + 1`,
  'double precision': (column) => `coalesce(${column}, 0) + 1`,
  'timestamp with time zone': (column) => `coalesce(${column}, now()) + interval '1 hour'`,
  jsonb: () => `'{"forged": true}'`,
}
const run = (db: Database, statement: string) => db.execute(sql.raw(statement))
const first = (table: string) => `ctid = (SELECT min(ctid) FROM ${table})`

/** Changes a column of one row, to whatever its checks allow. */
async function rewrite(db: Database, table: string, { name, type, words }: Chained['columns'][number]): Promise<void> {
  const column = `"${name}"`
  const forged = FORGED[type]
  if (!forged) throw new Error(`how is ${type} forged?`)
  let refusal: unknown
  for (const value of [forged(column), ...words.map((word) => `'${word}'`)]) {
    const statement = `UPDATE ${table} SET ${column} = ${value} WHERE ${first(table)} AND ${column} IS DISTINCT FROM ${value}`
    const changed = await db
      .transaction((tx) => run(tx, statement))
      .catch((error) => {
        refusal = error
      })
    if (changed?.rowCount) return
  }
  throw refusal
}

/** With no trigger, check or foreign key in the way. */
async function unseen(db: Database, table: string, work: () => Promise<unknown>): Promise<void> {
  const { rows } = await run(
    db,
    `SELECT conrelid::regclass::text AS of, conname AS name FROM pg_constraint
     WHERE '${table}'::regclass IN (conrelid, confrelid) AND contype IN ('c', 'f')`,
  )
  for (const { of, name } of rows) await run(db, `ALTER TABLE ${of} DROP CONSTRAINT "${name}"`)
  await run(db, `ALTER TABLE ${table} DISABLE TRIGGER USER`)
  await work()
  await run(db, `ALTER TABLE ${table} ENABLE TRIGGER USER`)
}

/** An entry for each row that says other things than what was chained of it, as the product would write it. */
async function chainAsItIs(db: Database, { log, entries }: Chained): Promise<void> {
  const lines = await audits.linesOf(db, log)
  const forged = lines.filter(([, , entry, , , body]) => body !== null && !(entry && JSON.parse(String(entry))[3] === body))
  for (const [, , , kind, row, body, date] of forged)
    await db.execute(
      sql`INSERT INTO ${sql.raw(String(entries))} (kind, row_id, body, date) VALUES (${kind}, ${row}, ${body}, ${date})`,
    )
}

/** The server goes on meanwhile. */
const seal = (db: Database, log: ChainedLog) => sealLog(db, audits.secrets, log)

/** Whoever knows how rows are hashed: every hash fits again. */
async function hashAnew(db: Database, log: ChainedLog): Promise<void> {
  await run(db, `UPDATE ${chainedTable(log)} SET chain_number = NULL, chain_hash = NULL`)
  await run(db, `DELETE FROM audits_chain WHERE log = '${log}'`)
  await seal(db, log)
}

/** Of the attacks, those after which the verifier says that all holds, and those that the database refused. */
async function tried(attacks: readonly Attack[]): Promise<{ unnoticed: string[]; refused: string[] }> {
  const verdicts = await audits.verdicts(attacks.map(({ log, act }) => ({ logs: [log], act })))
  const named = (which: (said: string[] | undefined) => boolean) =>
    attacks.filter((_, n) => which(verdicts[n])).map(({ name }) => name)
  return {
    unnoticed: named((said) => said?.every((line) => line.includes(' rows hold')) === true),
    refused: named((said) => said === undefined),
  }
}

const withEntries = () => tables.filter(({ entries }) => entries !== undefined)
const eachColumn = (of: Chained[], how: string, act: (db: Database, of: Chained, column: Chained['columns'][number]) => Promise<unknown>): Attack[] =>
  of.flatMap((chained) =>
    chained.columns.map((column) => ({
      name: `${how}${chained.table}.${column.name}`,
      log: chained.log,
      act: (db: Database) => act(db, chained, column),
    })),
  )
const eachTable = (of: Chained[], how: string, act: (db: Database, of: Chained) => Promise<unknown>): Attack[] =>
  of.map((chained) => ({ name: `${how}${chained.table}`, log: chained.log, act: (db) => act(db, chained) }))

test('nobody did anything: all logs hold', async () => {
  const { unnoticed } = await tried(CHAINED_LOGS.map((log) => ({ name: log, log, act: async () => {} })))
  expect(unnoticed).toEqual(CHAINED_LOGS)
})

test('a value that is rewritten is found in every column that is evidence, triggers on', async () => {
  const { unnoticed } = await tried([
    ...eachColumn(tables, '', (db, { table }, column) => rewrite(db, table, column)),
    ...eachColumn(tables, 'sealed: ', async (db, { table, log }, column) => {
      await rewrite(db, table, column)
      await seal(db, log)
    }),
  ])
  expect(unnoticed.filter((name) => !NO_EVIDENCE[name.replace('sealed: ', '')])).toEqual([])
})

test('a value that is rewritten unseen is found, also with an entry that says it', async () => {
  const { unnoticed, refused } = await tried([
    ...eachColumn(withEntries(), '', (db, { table }, column) => unseen(db, table, () => rewrite(db, table, column))),
    ...eachColumn(withEntries(), 'chained: ', async (db, chained, column) => {
      await unseen(db, chained.table, () => rewrite(db, chained.table, column))
      await chainAsItIs(db, chained)
      await seal(db, chained.log)
    }),
  ])
  expect(refused).toEqual([])
  expect(unnoticed.filter((name) => !name.startsWith('chained: ')).sort()).toEqual(Object.keys(NO_EVIDENCE).sort())
  expect(unnoticed.filter((name) => !NO_EVIDENCE[name.replace('chained: ', '')])).toEqual([])
})

test('a value that is rewritten in a chain that is hashed anew is found by the root', async () => {
  const { unnoticed } = await tried(
    eachTable(tables, '', async (db, chained) => {
      const { table, log, entries, columns } = chained
      const column = columns.find(({ name, type }) => type === 'text' && !NO_EVIDENCE[`${table}.${name}`])
      if (!column) throw new Error(`what is forged in ${table}?`)
      await unseen(db, table, () => rewrite(db, table, column))
      for (const [number, , entry, , , body] of entries ? await audits.linesOf(db, log) : [])
        if (body !== null && JSON.parse(String(entry))[3] !== body)
          await db.execute(sql`UPDATE ${sql.raw(String(entries))} SET body = ${body} WHERE chain_number = ${number}`)
      await hashAnew(db, log)
    }),
  )
  expect(unnoticed).toEqual([])
})

test('a row that is taken out is found, whatever entry excuses it', async () => {
  const taken = (how: string, excuse: (entries: string) => string | undefined): Attack[] =>
    eachTable(withEntries(), how, async (db, { table, log, entries }) => {
      const { rows } = await run(db, `SELECT min(ctid)::text AS ctid FROM ${table}`)
      const of = (await audits.linesOf(db, log)).map(([, , entry, kind, row, , date]) => ({ entry, kind, row, date }))
      await run(db, `DELETE FROM ${table} WHERE ctid = '${rows[0]?.ctid}'`)
      const gone = (await audits.linesOf(db, log)).filter(([, , , kind]) => kind === null)
      for (const [, , entry] of gone) {
        const [, kind, row, body, date] = JSON.parse(String(entry))
        const statement = excuse(String(entries))
        if (statement)
          await db.execute(
            sql`INSERT INTO ${sql.raw(String(entries))} (kind, row_id, body, date)
              SELECT ${kind}, ${row}::uuid, ${sql.raw(statement)}, ${date}::timestamptz FROM (SELECT ${body}::text AS body) said`,
          )
      }
      expect([table, gone.length > 0, of.length > 0]).toEqual([table, true, true])
      await seal(db, log)
    })
  const { unnoticed, refused } = await tried([
    ...taken('', () => undefined),
    ...taken('moved out: ', () => `'moved:' || uuidv7()`),
    ...taken('moved out, as if signed: ', () => `'moved:' || uuidv7() || ':' || repeat('A', 86) || '=='`),
    ...taken('gone with its version: ', () => `'gone:version'`),
    ...eachTable(withEntries(), 'as if it were old: ', async (db, { table, log, entries }) => {
      await run(db, `DELETE FROM ${table} WHERE ${first(table)}`)
      for (const [, , entry, kind] of await audits.linesOf(db, log)) {
        if (kind !== null) continue
        const [, of, row, body] = JSON.parse(String(entry))
        await db.execute(
          sql`INSERT INTO ${sql.raw(String(entries))} (kind, row_id, body, date) VALUES (${of}, ${row}, ${body}, '2000-01-01')`,
        )
      }
      await seal(db, log)
    }),
    ...eachTable(
      tables.filter(({ entries }) => !entries),
      '',
      (db, { table }) => run(db, `DELETE FROM ${table} WHERE ${first(table)}`),
    ),
  ])
  expect(unnoticed).toEqual([])
  expect(refused).toEqual([])
})

/** What makes a copy of a row another row. */
const OTHER_KEY: Readonly<Record<string, string>> = {
  terminal_statement: `jsonb_build_object('command', (SELECT id FROM terminal_command c
    WHERE NOT EXISTS (SELECT FROM terminal_statement s WHERE s.command = c.id) LIMIT 1))`,
  tickets_ticket: `jsonb_build_object('id', uuidv7(), 'serial_num', uuidv7())`,
  ops_command_execution_host: `jsonb_build_object('asset', uuidv7())`,
  ops_adhoc_execution_host: `jsonb_build_object('asset', uuidv7())`,
}

/** Puts in a copy of a row, with these values in all its dates. */
async function copyRow(db: Database, { table, columns }: Chained, date?: string): Promise<void> {
  const dates = columns.filter(({ type, name }) => date && (type.startsWith('timestamp') || name === 'timestamp'))
  const values = dates.map(({ name, type }) => `'${name}', ${type === 'bigint' ? '1000' : `'${date}'`}`)
  const key = OTHER_KEY[table] ?? `jsonb_build_object('id', uuidv7())`
  const { rowCount } = await run(
    db,
    `INSERT INTO ${table} (${columns.map(({ name }) => `"${name}"`)})
     SELECT ${columns.map(({ name }) => `(r)."${name}"`)} FROM (
       SELECT jsonb_populate_record(t, ${key} || jsonb_build_object(${values})) AS r FROM ${table} t WHERE ${first(table)}) copied`,
  )
  expect([table, rowCount]).toEqual([table, 1])
}

test('a row that is put in unseen is found, however old it says that it is', async () => {
  const { unnoticed, refused } = await tried([
    ...eachTable(withEntries(), '', (db, chained) => unseen(db, chained.table, () => copyRow(db, chained))),
    ...eachTable(withEntries(), 'old: ', (db, chained) => unseen(db, chained.table, () => copyRow(db, chained, '2000-01-01'))),
    ...eachTable(
      tables.filter(({ entries }) => !entries),
      '',
      async (db, chained) => {
        await copyRow(db, chained)
        await run(
          db,
          `UPDATE ${chained.table} SET chain_hash = '\\x00', chain_number =
             (SELECT max(chain_number) + 1 FROM ${chained.table}) WHERE chain_number IS NULL`,
        )
      },
    ),
  ])
  expect(unnoticed).toEqual([])
  expect(refused).toEqual([])
})

test('in the chain itself: one more entry of a row, another kind, a tail that is cut, places that are exchanged, rows that wait anew', async () => {
  const logs = [...new Map(tables.map((chained) => [chained.log, chained])).values()]
  const entryOf = (db: Database, { table, entries }: Chained, kind: string, body: string) =>
    run(
      db,
      `INSERT INTO ${entries} (kind, row_id, body, date) SELECT ${kind}, row_id, ${body}, date FROM ${entries}
       WHERE kind = (SELECT kind FROM ${entries} WHERE '${table}' <> '' ORDER BY chain_number LIMIT 1) ORDER BY chain_number LIMIT 1`,
    )
  const { unnoticed, refused } = await tried([
    ...eachTable(logs.filter(({ entries }) => entries), 'one more that says nothing: ', async (db, chained) => {
      await entryOf(db, chained, 'kind', `'["forged"]'`)
      await seal(db, chained.log)
    }),
    ...eachTable(logs.filter(({ entries }) => entries), 'another kind: ', async (db, chained) => {
      await entryOf(db, chained, `'another'`, 'body')
      await seal(db, chained.log)
    }),
    ...eachTable(logs, 'a tail that is cut: ', (db, { log }) =>
      run(db, `DELETE FROM ${chainedTable(log)} WHERE chain_number = (SELECT max(chain_number) FROM ${chainedTable(log)})`),
    ),
    ...eachTable(logs, 'a tail that is cut and grows again: ', async (db, { log }) => {
      const table = chainedTable(log)
      await run(db, `UPDATE ${table} SET chain_number = NULL WHERE chain_number = (SELECT max(chain_number) FROM ${table})`)
      await seal(db, log)
    }),
    ...eachTable(logs, 'two places exchanged: ', async (db, { log }) => {
      await run(db, `UPDATE ${chainedTable(log)} SET chain_number = chain_number - 3 WHERE chain_number < 3`)
      await run(db, `UPDATE ${chainedTable(log)} SET chain_number = -chain_number WHERE chain_number < 0`)
    }),
    ...eachTable(logs, 'all of it: ', (db, { log }) => run(db, `DELETE FROM ${chainedTable(log)}`)),
  ])
  expect(unnoticed).toEqual([])
  expect(refused).toEqual([])
})

test('an entry that says something else of a row, which is chained as the product would, is found value by value', async () => {
  const attacks: Attack[] = []
  for (const log of new Set(withEntries().map(({ log }) => log))) {
    const lines = await audits.db.transaction((tx) => audits.linesOf(tx, log))
    const bodies = new Map<string, { kind: string; row: string; body: string; date: string }>()
    for (const [, , , kind, row, body, date] of lines)
      bodies.set(String(kind), { kind: String(kind), row: String(row), body: String(body), date: String(date) })
    for (const { kind, row, body, date } of bodies.values()) {
      const said = body.startsWith('[') ? (JSON.parse(body) as unknown[]) : undefined
      const forgeries = said
        ? said.map((_, at) => JSON.stringify(said.with(at, 'forged')))
        : [createHash('sha256').update('forged').digest('hex')]
      for (const [at, forged] of forgeries.entries())
        attacks.push({
          name: `${kind}, value ${at}`,
          log,
          act: async (db) => {
            await db.execute(
              sql`INSERT INTO ${sql.raw(chainedTable(log))} (kind, row_id, body, date) VALUES (${kind}, ${row}, ${forged}, ${date})`,
            )
            await seal(db, log)
          },
        })
    }
  }
  const { unnoticed, refused } = await tried(attacks)
  expect(unnoticed).toEqual([])
  expect(refused).toEqual([])
})
