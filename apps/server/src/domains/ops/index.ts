import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { deleteInSlices } from '../../kernel/database/delete-in-slices.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { settingsOf } from '../settings/index.ts'
import { registerLogSocket } from './log-socket.ts'
import { registerTaskLog } from './task-log.ts'

export { type NewTask, runTask, startTask, type TaskLog } from './background-task.ts'

export function registerOps(kernel: Kernel): void {
  registerTaskLog(kernel)
  registerLogSocket(kernel)
  // Their logs go with them.
  kernel.jobs.schedule('ops.clean_tasks', '30 3 * * *', async () => {
    const days = settingsOf(kernel).get('TASK_LOG_KEEP_DAYS')
    await deleteInSlices(
      kernel.db,
      (limit) => sql`DELETE FROM ops_background_task WHERE id IN (
        SELECT id FROM ops_background_task WHERE date_created < now() - make_interval(days => ${days}) LIMIT ${limit})`,
    )
  })
  kernel.jobs.schedule('ops.close_lost_tasks', '*/10 * * * *', () => closeLostTasks(kernel.db))
}

/**
 * Marks tasks as failed whose job the queue has given up because its worker died: whoever watches
 * the log would wait for ever. Tasks of the last minute are left alone, since a task's row is made
 * before its job.
 */
export async function closeLostTasks(db: Database): Promise<void> {
  await db.execute(sql`
    UPDATE ops_background_task t SET state = 'FAILURE', date_finished = now()
    WHERE t.state IN ('PENDING', 'STARTED') AND t.date_created < now() - interval '1 minute'
      AND NOT EXISTS (SELECT 1 FROM jobs.job j WHERE j.id = t.id AND j.state IN ('created', 'retry', 'active'))`)
}
