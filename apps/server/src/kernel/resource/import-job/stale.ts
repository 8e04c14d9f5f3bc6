import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Database } from '../../database/database.ts'
import { kernelImportJob } from './tables.ts'

/** A worker writes every few seconds: one that has not for this long is gone. */
const SILENT = sql.raw("interval '2 minutes'")
/**
 * An import that no worker has started by then is dropped: nobody waits for it any more, and rights
 * may have changed.
 */
const FORGOTTEN = sql.raw("interval '1 hour'")

/** Ends an import, or all of them, whose worker is gone or never came. */
export async function endStale(db: Database, id?: string): Promise<void> {
  const { status, date_updated, date_created, date_finished } = kernelImportJob
  await db
    .update(kernelImportJob)
    .set({
      status: sql`CASE WHEN ${status} = 'stopped' THEN ${status} ELSE 'interrupted' END`,
      date_finished: sql`now()`,
      rows_sealed: null,
    })
    .where(
      and(
        id ? eq(kernelImportJob.id, id) : undefined,
        isNull(date_finished),
        sql`CASE WHEN ${status} = 'waiting' THEN ${date_created} < now() - ${FORGOTTEN} ELSE ${date_updated} < now() - ${SILENT} END`,
      ),
    )
}
