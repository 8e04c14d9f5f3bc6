import { sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '../database/database.ts'
import { type ArrivalRun, type ArrivingRow, Outcomes } from './arrival.ts'
import { columnNames, inHalves, typedColumns } from './in-halves.ts'
import { noteArrivals } from './note-arrivals.ts'

/** Rows that are inserted by one statement: rows of a chain share an entry, which is read as a whole. */
const AT_ONCE = 500

/**
 * Stores what happened elsewhere: rows that never change. So they have no note of their own, and those
 * that are here already stay. Chained like all others, as they come; other systems get no news of them.
 */
export async function arriveHistory(
  { db }: Pick<ArrivalRun, 'db'>,
  table: PgTable,
  rows: readonly ArrivingRow[],
): Promise<Outcomes> {
  const outcomes = new Outcomes()
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const some = rows.slice(at, at + AT_ONCE)
    const here = await idsHere(db, table, some)
    const fresh = some.filter(({ id }) => !here.has(id))
    const refused = new Set(await inHalves(db, fresh, (within, part) => insert(within, table, part)))
    for (const row of some) outcomes.set(row.key, here.has(row.id) ? 'same' : refused.has(row) ? 'taken' : 'added')
  }
  return outcomes
}

async function idsHere(db: Database, table: PgTable, rows: readonly ArrivingRow[]): Promise<Set<string>> {
  const { rows: found } = await db.execute<{ id: string }>(
    sql`SELECT id::text AS id FROM ${table} WHERE id = ANY (${sql.param(rows.map(({ id }) => id))}::uuid[])`,
  )
  return new Set(found.map(({ id }) => id))
}

async function insert(db: Database, table: PgTable, rows: readonly ArrivingRow[]): Promise<ArrivingRow[]> {
  const columns = ['id', ...Object.keys(rows[0]?.values ?? {})]
  const json = JSON.stringify(rows.map(({ id, values }) => ({ id, ...values })))
  await db.execute(sql`SELECT set_config('sallyport.arriving', 'on', true)`)
  const { rows: stored } = await db.execute<{ id: string }>(sql`
    INSERT INTO ${table} (${columnNames(columns)})
    SELECT ${columnNames(columns)} FROM json_to_recordset(${json}) AS row (${typedColumns(table, columns)})
    ON CONFLICT DO NOTHING RETURNING id::text AS id`)
  await db.execute(sql`SELECT set_config('sallyport.arriving', '', true)`)
  const ids = new Set(stored.map(({ id }) => id))
  return rows.filter(({ id }) => !ids.has(id))
}

/** How far a table of theirs has been read, in the order of time: the last row's time and id. */
export interface HistoryPosition {
  at: string
  id: string
  /** Where the first run began; none: with the first row. */
  first?: Date
}

/** The kind by which positions are kept. */
export const HISTORY_POSITION = 'history'

/** Where earlier runs have come to in that table; undefined where nothing has come. */
export async function historyPosition(
  { db, source }: Pick<ArrivalRun, 'db' | 'source'>,
  table: string,
): Promise<HistoryPosition | undefined> {
  const { rows } = await db.execute<{ id: string }>(
    sql`SELECT id FROM kernel_arrival WHERE source = ${source} AND kind = ${HISTORY_POSITION} AND key = ${table}`,
  )
  const [id, at, first] = (rows[0]?.id ?? '').split('@')
  return id && at ? { at, id, ...(first ? { first: new Date(first) } : {}) } : undefined
}

/** Keeps where it has come to, with the rows up to there: a crash loses neither. */
export const keepHistoryPosition = (
  run: ArrivalRun,
  table: string,
  { at, id, first }: HistoryPosition,
): Promise<void> =>
  noteArrivals(run, HISTORY_POSITION, [
    {
      key: table,
      id: [id, at, ...(first ? [first.toISOString()] : [])].join('@'),
      digest: Buffer.alloc(0),
      stored: '',
    },
  ])
