import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { ArrivalRun } from './arrival.ts'

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
  const outcome = { added: 0, same: 0, gone: 0, refused: [] as (readonly string[])[] }
  if (pairs.length) await store(run, place, pairs, outcome)
  return outcome
}

async function store(
  { db, source, run }: ArrivalRun,
  { kind, table, columns }: PairPlace,
  pairs: readonly (readonly string[])[],
  outcome: { added: number; same: number; gone: number; refused: (readonly string[])[] },
): Promise<void> {
  const types = getTableColumns(table)
  const typed = join(
    columns.map((name) => sql`${sql.identifier(name)} ${sql.raw(types[name]?.getSQLType() ?? 'uuid')}`),
  )
  const names = join(columns.map((name) => sql`${sql.identifier(name)}`))
  const same = sql.join(
    columns.map((name) => sql`t.${sql.identifier(name)} = r.${sql.identifier(name)}`),
    sql` AND `,
  )
  const key = sql.join(
    columns.map((name) => sql`r.${sql.identifier(name)}::text`),
    sql` || ':' || `,
  )
  const rows = JSON.stringify(pairs.map((pair) => Object.fromEntries(columns.map((name, at) => [name, pair[at]]))))
  try {
    await db.transaction(async (within) => {
      const { rows: found } = await within.execute<{ added: number; same: number; gone: number }>(sql`
        WITH r AS MATERIALIZED (SELECT DISTINCT * FROM json_to_recordset(${rows}) AS r (${typed})),
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
      outcome.added += found[0]?.added ?? 0
      outcome.same += found[0]?.same ?? 0
      outcome.gone += found[0]?.gone ?? 0
    })
    return
  } catch (error) {
    const code = (error as { cause?: { code?: string } }).cause?.code ?? ''
    if (!/^(?:22|23|P0001)/.test(code)) throw error
  }
  const [only, ...others] = pairs
  if (!others.length) {
    if (only) outcome.refused.push(only)
    return
  }
  const half = Math.ceil(pairs.length / 2)
  const place = { kind, table, columns }
  await store({ db, source, run } as ArrivalRun, place, pairs.slice(0, half), outcome)
  await store({ db, source, run } as ArrivalRun, place, pairs.slice(half), outcome)
}

/** Removes pairs that came with an earlier run and are not there any more. Answers how many went. */
export async function endPairs({ db, source, run }: ArrivalRun, { kind, table, columns }: PairPlace): Promise<number> {
  const key = sql.join(
    columns.map((name) => sql`t.${sql.identifier(name)}::text`),
    sql` || ':' || `,
  )
  const { rows } = await db.execute<{ count: number }>(sql`
    WITH unseen AS (DELETE FROM kernel_arrival
        WHERE source = ${source} AND kind = ${kind} AND run <> ${run}::uuid RETURNING key, stored),
      removed AS (DELETE FROM ${table} t USING unseen u WHERE u.stored IS NOT NULL AND ${key} = u.key RETURNING 1)
    SELECT count(*)::int AS count FROM removed`)
  return rows[0]?.count ?? 0
}

const join = (parts: SQL[]): SQL => sql.join(parts, sql`, `)
