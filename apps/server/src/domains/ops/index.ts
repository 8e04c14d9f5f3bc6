import { lt, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { registerLogSocket } from './log-socket.ts'
import { opsBackgroundTask } from './tables.ts'
import { registerTaskLog } from './task-log.ts'

export { type NewTask, runTask, startTask, type TaskLog } from './background-task.ts'

/** How long logs are kept; a setting of its own comes with the page for it (contract/ops.yaml TASK_LOG_KEEP_DAYS). */
const KEEP_DAYS = 90
export function registerOps(kernel: Kernel): void {
  registerTaskLog(kernel)
  registerLogSocket(kernel)
  kernel.jobs.schedule('ops.clean_tasks', '30 3 * * *', async () => {
    await kernel.db.delete(opsBackgroundTask).where(lt(opsBackgroundTask.date_created, sql`now() - make_interval(days => ${KEEP_DAYS})`))
  })
  kernel.jobs.schedule('ops.close_lost_tasks', '*/10 * * * *', () => closeLostTasks(kernel.db))
}

/**
 * Tasks whose job the queue has given up, because its worker died, end as failed: whoever watches the log would wait for ever.
 * A new task is left alone for a minute: its row is there before its job.
 */
export async function closeLostTasks(db: Database): Promise<void> {
  await db.execute(sql`
    UPDATE ops_background_task t SET state = 'FAILURE', date_finished = now()
    WHERE t.state IN ('PENDING', 'STARTED') AND t.date_created < now() - interval '1 minute'
      AND NOT EXISTS (SELECT 1 FROM jobs.job j WHERE j.id = t.id AND j.state IN ('created', 'retry', 'active'))`)
}
