import { sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { deleteInSlices } from '../../../kernel/database/delete-in-slices.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { chainForgottenRuns, forgetWithEntries } from '../../audits/index.ts'

/** Versions that each task keeps (docs/rules/ops.md#task). */
const KEPT_VERSIONS = 5
/** Runs that go with their version in one transaction: each may have thousands of machines. */
const RUNS_AT_ONCE = 50
const DAY_MS = 86_400_000

const OLD = sql`SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY task ORDER BY date_created DESC, id DESC) AS place
  FROM ops_adhoc) ranked WHERE place > ${KEPT_VERSIONS}`

/** Removes all but the newest versions of each task, with their runs; and runs that are older than so many days. */
export async function keepNewestVersions(kernel: Kernel, days: number): Promise<void> {
  const { db } = kernel
  const before = new Date(Date.now() - days * DAY_MS)
  await forgetWithEntries(kernel, ['task_run'], before, async () => {
    await deleteInSlices(
      db,
      (limit) => sql`DELETE FROM ops_adhoc_execution WHERE id IN (
        SELECT id FROM ops_adhoc_execution WHERE is_finished AND date_start < ${before.toISOString()}::timestamptz LIMIT ${limit})`,
    )
  })
  while (await db.transaction((tx) => forgetRunsOfOldVersions(kernel, tx)));
  await deleteInSlices(
    db,
    (limit) => sql`DELETE FROM ops_adhoc WHERE id IN (${OLD} LIMIT ${limit})
      AND NOT EXISTS (SELECT 1 FROM ops_adhoc_execution e WHERE e.adhoc = ops_adhoc.id)`,
  )
}

/** Some of them, of any age, which their chain says; answers whether there were any. */
async function forgetRunsOfOldVersions(kernel: Kernel, db: Database): Promise<boolean> {
  const { rows } = await db.execute<{ id: string }>(
    sql`SELECT id FROM ops_adhoc_execution WHERE is_finished AND adhoc IN (${OLD}) LIMIT ${RUNS_AT_ONCE} FOR UPDATE`,
  )
  if (!rows.length) return false
  const ids = sql`${sql.param(rows.map(({ id }) => id))}::uuid[]`
  await chainForgottenRuns(
    kernel,
    db,
    sql`SELECT 'task_run' AS kind, id AS row_id, date_start AS date FROM ops_adhoc_execution WHERE id = ANY(${ids})
      UNION ALL
      SELECT 'task_outcome', md5(h.execution::text || h.asset)::uuid, e.date_start
      FROM ops_adhoc_execution_host h JOIN ops_adhoc_execution e ON e.id = h.execution WHERE e.id = ANY(${ids})`,
  )
  await db.execute(sql`DELETE FROM ops_adhoc_execution WHERE id = ANY(${ids})`)
  return true
}
