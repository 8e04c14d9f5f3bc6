import { sql } from 'drizzle-orm'
import { deleteInSlices } from '../../../kernel/database/delete-in-slices.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'

/** Forgets runs after CLOUD_SYNC_TASK_EXECUTION_KEEP_DAYS. */
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
}
