import { getTableName, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '../database/database.ts'
import type { ArrivalRun } from './arrival.ts'

export interface NotedKind {
  table: PgTable
  form: 'row' | 'part' | 'pair'
  idColumn: string | null
  columns: readonly string[]
  changesByItself?: boolean | undefined
}

export interface Noted {
  key: string
  id: string
  digest: Buffer
  stored: string | null
}

/** Keeps these arrivals of a kind, as seen by this run. */
export async function noteArrivals(
  { db, source, run }: ArrivalRun,
  kind: string,
  noted: readonly Noted[],
): Promise<void> {
  if (!noted.length) return
  const rows = JSON.stringify(noted.map((one) => ({ ...one, digest: `\\x${one.digest.toString('hex')}` })))
  await db.execute(sql`
    INSERT INTO kernel_arrival (source, kind, key, id, digest, stored, run)
    SELECT ${source}, ${kind}, key, id, digest, stored, ${run}::uuid
    FROM json_to_recordset(${rows}) AS row (key text, id text, digest bytea, stored text)
    ON CONFLICT (source, kind, key) DO UPDATE
      SET id = excluded.id, digest = excluded.digest, stored = excluded.stored, run = excluded.run`)
}

/** How rows of a kind are found again, to be taken back. */
export async function noteKind(
  { db, source }: Pick<ArrivalRun, 'db' | 'source'>,
  kind: string,
  { table, form, idColumn, columns, changesByItself = false }: NotedKind,
): Promise<void> {
  await db.execute(sql`
    INSERT INTO kernel_arrival_kind AS k (source, kind, table_name, form, id_column, columns, changes_by_itself)
    VALUES (${source}, ${kind}, ${getTableName(table)}, ${form}, ${idColumn}, ${sql.param([...columns])}, ${changesByItself})
    ON CONFLICT (source, kind) DO UPDATE SET columns = excluded.columns WHERE k.columns <> excluded.columns`)
}

/** Ids here of all that has come of a kind, by id there. */
export async function arrivedIds(
  { db, source }: Pick<ArrivalRun, 'db' | 'source'>,
  kind: string,
): Promise<Map<string, string>> {
  const { rows } = await db.execute<{ key: string; id: string }>(
    sql`SELECT key, id FROM kernel_arrival WHERE source = ${source} AND kind = ${kind}`,
  )
  return new Map(rows.map(({ key, id }) => [key, id]))
}

/** The source of which rows of a kind with these ids there have come; undefined where there is none. */
export async function sourceWith(
  db: ArrivalRun['db'],
  kind: string,
  keys: readonly string[],
): Promise<string | undefined> {
  const { rows } = await db.execute<{ source: string }>(sql`
    SELECT source FROM kernel_arrival WHERE kind = ${kind} AND key IN (SELECT json_array_elements_text(${JSON.stringify(keys)}))
    GROUP BY source ORDER BY count(*) DESC, source LIMIT 1`)
  return rows[0]?.source
}

/** Names of the sources of a product of which something has come: each begins with it. */
export async function arrivedSources(db: Database, product: string): Promise<string[]> {
  const { rows } = await db.execute<{ source: string }>(
    sql`SELECT DISTINCT source FROM kernel_arrival WHERE starts_with(source, ${product}) ORDER BY 1`,
  )
  return rows.map(({ source }) => source)
}
