import { and, inArray, lt, sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { registerLogSocket } from './log-socket.ts'
import { opsBackgroundTask } from './tables.ts'
import { registerTaskLog } from './task-log.ts'

export { type NewTask, runTask, startTask, type TaskLog } from './background-task.ts'

/** How long logs are kept; a setting of its own comes with the page for it (contract/ops.yaml TASK_LOG_KEEP_DAYS). */
const KEEP_DAYS = 90
/** A task that is still open by then died with its worker. */
const LOST_AFTER_HOURS = 24

export function registerOps(kernel: Kernel): void {
  registerTaskLog(kernel)
  registerLogSocket(kernel)
  kernel.jobs.schedule('ops.clean_tasks', '30 3 * * *', async () => {
    await kernel.db.delete(opsBackgroundTask).where(lt(opsBackgroundTask.date_created, sql`now() - make_interval(days => ${KEEP_DAYS})`))
    await kernel.db
      .update(opsBackgroundTask)
      .set({ state: 'FAILURE', date_finished: sql`now()` })
      .where(
        and(
          inArray(opsBackgroundTask.state, ['PENDING', 'STARTED']),
          lt(opsBackgroundTask.date_created, sql`now() - make_interval(hours => ${LOST_AFTER_HOURS})`),
        ),
      )
  })
}
