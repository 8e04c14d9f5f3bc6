import { sql } from 'drizzle-orm'
import { deleteInSlices } from '../../../kernel/database/delete-in-slices.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'

/** Forgets runs after CLOUD_SYNC_TASK_EXECUTION_KEEP_DAYS, and ends those that no node carries on. */
export function scheduleCleaning(kernel: Kernel): void {
  const { jobs, db, config } = kernel
  jobs.schedule(
    { name: 'cloud.forget_old', cron: '50 3 * * *', title: 'Remove old runs of cloud sync tasks' },
    async () => {
      const days = Math.max(settingsOf(kernel).get('CLOUD_SYNC_TASK_EXECUTION_KEEP_DAYS'), config.keepAtLeastDays)
      await deleteInSlices(
        db,
        (limit) => sql`DELETE FROM cloud_sync_run WHERE id IN (
        SELECT id FROM cloud_sync_run WHERE date_sync < now() - make_interval(days => ${days}) LIMIT ${limit})`,
      )
    },
  )
  // A job lasts six hours at most.
  jobs.schedule(
    { name: 'cloud.close_lost_runs', cron: '20 * * * *', title: 'End runs of cloud sync tasks whose server is gone' },
    async () => {
      await db.execute(sql`UPDATE cloud_sync_run SET status = 0, fault = 'stopped'
      WHERE status IS NULL AND date_sync < now() - interval '13 hours'`)
    },
  )
}
