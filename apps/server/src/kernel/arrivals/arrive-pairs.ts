import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { ArrivalRun } from './arrival.ts'
import { columnNames, inHalves, typedColumns } from './in-halves.ts'
import { noteKind } from './note-arrivals.ts'

/** Pairs of one kind, such as people and groups. */
export interface PairPlace {
  kind: string
  table: PgTable
  /** The columns that make a pair; texts and UUIDs. */
  columns: readonly string[]
}

export interface PairOutcome {
  added: number
  /** There already, from an earlier run or from people here. */
  same: number
  /** Came before and were removed here since; they stay removed. */
  gone: number
  /** The database does not take them: one end is missing, or of another organization. */
  refused: readonly (readonly string[])[]
}

/**
 * Stores pairs of another product, one batch; `endPairs` follows after the last batch. Pairs that
 * people have removed here since they came stay removed.
 */
export async function arrivePairs(
  run: ArrivalRun,
  place: PairPlace,
  pairs: readonly (readonly string[])[],
): Promise<PairOutcome> {
  if (pairs.length) {
    const { kind, table, columns } = place
    await noteKind(run, kind, { table, form: 'pair', idColumn: null, columns })
  }
  const counted = { added: 0, same: 0, gone: 0 }
  const refused = await inHalves(run.db, pairs, async (within, some) => {
    const { added, same, gone } = await store({ ...run, db: within }, place, some)
    counted.added += added
    counted.same += same
    counted.gone += gone
    return []
  })
  return { ...counted, refused }
}

async function store(
  { db, source, run }: ArrivalRun,
  { kind, table, columns }: PairPlace,
  pairs: readonly (readonly string[])[],
): Promise<Omit<PairOutcome, 'refused'>> {
  const names = columnNames(columns)
  const same = sql.join(
    columns.map((name) => sql`t.${sql.identifier(name)} = r.${sql.identifier(name)}`),
    sql` AND `,
  )
  const key = pairKey(sql`r`, columns)
  const rows = JSON.stringify(pairs.map((pair) => Object.fromEntries(columns.map((name, at) => [name, pair[at]]))))
  const { rows: found } = await db.execute<{ added: number; same: number; gone: number }>(sql`
    WITH r AS MATERIALIZED (SELECT DISTINCT * FROM json_to_recordset(${rows}) AS r (${typedColumns(table, columns)})),
    judged AS MATERIALIZED (
      SELECT r.*, ${key} AS pair_key, a.key IS NOT NULL AS is_known,
        EXISTS (SELECT 1 FROM ${table} t WHERE ${same}) AS is_there
      FROM r LEFT JOIN kernel_arrival a ON a.source = ${source} AND a.kind = ${kind} AND a.key = ${key}),
    stored AS (INSERT INTO ${table} (${names}) SELECT ${names} FROM judged WHERE NOT is_known AND NOT is_there RETURNING 1),
    noted AS (INSERT INTO kernel_arrival (source, kind, key, id, digest, stored, run)
      SELECT ${source}, ${kind}, pair_key, pair_key, '', CASE WHEN NOT is_there THEN '' END, ${run}::uuid FROM judged
      ON CONFLICT (source, kind, key) DO UPDATE SET run = excluded.run)
    SELECT (SELECT count(*) FROM stored)::int AS added, count(*) FILTER (WHERE is_there)::int AS same,
      count(*) FILTER (WHERE is_known AND NOT is_there)::int AS gone
    FROM judged`)
  return found[0] ?? { added: 0, same: 0, gone: 0 }
}

/** Removes pairs that came with an earlier run and are not there any more. Answers how many went. */
export async function endPairs({ db, source, run }: ArrivalRun, { kind, table, columns }: PairPlace): Promise<number> {
  const key = pairKey(sql`t`, columns)
  const { rows } = await db.execute<{ count: number }>(sql`
    WITH unseen AS (DELETE FROM kernel_arrival
        WHERE source = ${source} AND kind = ${kind} AND run <> ${run}::uuid RETURNING key, stored),
      removed AS (DELETE FROM ${table} t USING unseen u WHERE u.stored IS NOT NULL AND ${key} = u.key RETURNING 1)
    SELECT count(*)::int AS count FROM removed`)
  return rows[0]?.count ?? 0
}

/** SQL: a pair as `kernel_arrival` knows it. */
export const pairKey = (alias: SQL, columns: readonly string[]): SQL =>
  sql.join(
    columns.map((name) => sql`${alias}.${sql.identifier(name)}::text`),
    sql` || ':' || `,
  )
