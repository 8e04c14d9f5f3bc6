import { and, eq, getTableName, inArray, type SQL, sql } from 'drizzle-orm'
import { bigint, type PgTable, pgTable, text } from 'drizzle-orm/pg-core'
import { isRoot } from './access/call.ts'
import { orgId } from './database/columns.ts'
import type { Database } from './database/database.ts'
import { writtenOnce } from './database/statements/written-once.ts'
import type { Kernel } from './kernel.ts'
import type { ReadContext } from './resource/mount.ts'

/** Changes to the number of rows that `CALL kernel_count_rows('<table>')` counts; their sum is it. */
export const kernelRowCount = pgTable('kernel_row_count', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  counted: text('counted').notNull(),
  org_id: orgId(),
  delta: bigint('delta', { mode: 'number' }).notNull(),
})

/**
 * How many rows an organization has in a counted table (undefined: all of them), without counting
 * them.
 */
export async function countOf(db: Database, table: PgTable, orgId: string | undefined): Promise<number> {
  const counted = getTableName(table)
  const [row] = orgId ? await sumOfOrg(db, { counted, orgId }) : await sumOfAll(db, { counted })
  return row?.count ?? 0
}

const sumOf = (where: SQL) =>
  writtenOnce<{ count: number }>(
    sql`select coalesce(sum(delta), 0)::int as count from ${kernelRowCount} where counted = ${sql.placeholder('counted')}${where}`,
  )
const sumOfAll = sumOf(sql``)
const sumOfOrg = sumOf(sql` and org_id = ${sql.placeholder('orgId')}`)

/** The same of several organizations, by their ids; those without any row are missing. */
export async function countsOf(db: Database, table: PgTable, orgIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await db
    .select({ org_id: kernelRowCount.org_id, count: sql<number>`sum(${kernelRowCount.delta})::int` })
    .from(kernelRowCount)
    .where(and(eq(kernelRowCount.counted, getTableName(table)), inArray(kernelRowCount.org_id, [...orgIds])))
    .groupBy(kernelRowCount.org_id)
  return new Map(rows.map(({ org_id, count }) => [org_id, count]))
}

/** The same for a list of the caller's organization. */
export const countedRows = ({ db, call }: ReadContext, table: PgTable): Promise<number> =>
  countOf(db, table, isRoot(call) ? undefined : call.org.id)

export interface CheckedCount {
  org_id: string
  /** Rows that there are, and what the counter said. */
  counted: number
  kept: number
}

/**
 * Compares the counter of a table with its rows, in one organization (undefined: in all), and
 * corrects it.
 */
export async function checkRowCounts(db: Database, table: PgTable, orgId: string | undefined): Promise<CheckedCount[]> {
  const name = getTableName(table)
  return db.transaction(async (tx) => {
    // Nobody may add or remove rows between the two counts.
    await tx.execute(sql`LOCK TABLE ${table} IN SHARE MODE`)
    const { rows } = await tx.execute<CheckedCount & Record<string, unknown>>(sql`
      SELECT coalesce(a.org_id, c.org_id) AS org_id, coalesce(a.n, 0)::int AS counted, coalesce(c.n, 0)::int AS kept
      FROM (SELECT org_id, count(*) AS n FROM ${table} GROUP BY org_id) a
      FULL JOIN (SELECT org_id, sum(delta) AS n FROM ${kernelRowCount} WHERE counted = ${name} GROUP BY org_id) c
        ON c.org_id = a.org_id
      WHERE ${orgId ? sql`coalesce(a.org_id, c.org_id) = ${orgId}` : sql`true`}`)
    for (const { org_id, counted, kept } of rows)
      if (counted !== kept) await tx.insert(kernelRowCount).values({ counted: name, org_id, delta: counted - kept })
    return rows
  })
}

/** Every minute folds the counters' rows into one for each table and organization. */
export function registerRowCounts({ db, jobs }: Kernel): void {
  jobs.schedule(
    {
      name: 'kernel.fold_counts',
      cron: '* * * * *',
      title: 'Fold counters of rows',
      isEssential: true,
      hasWork: () =>
        sql`EXISTS (SELECT 1 FROM ${kernelRowCount} GROUP BY counted, org_id HAVING count(*) > 1 OR sum(delta) = 0)`,
    },
    () => foldRowCounts(db),
  )
}

/** Safe while others read and write: it takes only rows that it sees. */
export async function foldRowCounts(db: Database): Promise<void> {
  await db.execute(sql`
    WITH gone AS (DELETE FROM ${kernelRowCount} RETURNING counted, org_id, delta)
    INSERT INTO ${kernelRowCount} (counted, org_id, delta)
    SELECT counted, org_id, sum(delta) FROM gone GROUP BY counted, org_id HAVING sum(delta) <> 0`)
}
