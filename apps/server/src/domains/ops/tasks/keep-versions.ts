import { sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { deleteInSlices } from '../../../kernel/database/delete-in-slices.ts'

/** Versions that each task keeps (contract/ops.yaml `task` rules). */
const KEPT_VERSIONS = 5

/** Removes all but the newest versions of each task, with their runs; and runs that are older than so many days. */
export async function keepNewestVersions(db: Database, days: number): Promise<void> {
  const old = sql`SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY task ORDER BY date_created DESC, id DESC) AS place
    FROM ops_adhoc) ranked WHERE place > ${KEPT_VERSIONS}`
  await deleteInSlices(
    db,
    (limit) => sql`DELETE FROM ops_adhoc_execution WHERE id IN (
      SELECT id FROM ops_adhoc_execution WHERE is_finished AND (adhoc IN (${old}) OR date_start < now() - make_interval(days => ${days}))
      LIMIT ${limit})`,
  )
  await deleteInSlices(
    db,
    (limit) => sql`DELETE FROM ops_adhoc WHERE id IN (${old} LIMIT ${limit})
      AND NOT EXISTS (SELECT 1 FROM ops_adhoc_execution e WHERE e.adhoc = ops_adhoc.id)`,
  )
}
