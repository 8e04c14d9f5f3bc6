import { sql } from 'drizzle-orm'
import { deleteInSlices } from '../../kernel/database/delete-in-slices.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { settingsOf } from '../settings/index.ts'
import { closeLostTasks } from './background-work.ts'
import { registerTaskCancel, registerTaskResult } from './cancel-task.ts'
import { registerNewsSocket } from './command-executions/news-socket.ts'
import { finishLostExecutions } from './command-executions/progress.ts'
import { registerLogSocket } from './log-socket.ts'
import { registerTaskMonitor } from './monitor/monitor-routes.ts'
import { registerRunbookFiles } from './runbooks/runbook-file.ts'
import { addSchedulesToPreviews } from './runbooks/schedules-touched.ts'
import { registerTaskLog } from './task-log.ts'
import { registerTaskRuns } from './tasks/carry-out.ts'
import { keepNewestVersions } from './tasks/keep-versions.ts'

export { runTask, startTask, type TaskLog } from './background-task.ts'
export { backgroundWork, closeLostTasks, type TaskRuns } from './background-work.ts'
export { CancellableRuns, cancelRun } from './run/cancellable-runs.ts'
export { eachHost } from './run/each-host.ts'
export { FILES_FOLDER, type RunInputs } from './run-inputs.ts'
export { keepNewestVersions } from './tasks/keep-versions.ts'
export { startRun } from './tasks/start-run.ts'
export { sendDueTasks } from './tasks/task.resource.ts'
export { type HostResults, type RunHost, type RunSummary, type TaskRun, taskKind } from './tasks/task-kinds.ts'

export function registerOps(kernel: Kernel): void {
  registerTaskLog(kernel)
  registerLogSocket(kernel)
  registerNewsSocket(kernel)
  registerTaskResult(kernel)
  registerTaskCancel(kernel)
  registerTaskRuns(kernel)
  registerRunbookFiles(kernel)
  addSchedulesToPreviews(kernel)
  registerTaskMonitor(kernel)
  // They are traces of what was done on machines: the start-up setting holds for them as for audit logs.
  const keptDays = () => Math.max(settingsOf(kernel).get('TASK_LOG_KEEP_DAYS'), kernel.config.keepAtLeastDays)
  // Their logs go with them.
  kernel.jobs.schedule({ name: 'ops.clean_tasks', cron: '30 3 * * *', title: 'Remove old task logs' }, async () => {
    const days = keptDays()
    await deleteInSlices(
      kernel.db,
      (limit) => sql`DELETE FROM ops_background_task WHERE id IN (
        SELECT id FROM ops_background_task WHERE date_created < now() - make_interval(days => ${days}) LIMIT ${limit})`,
    )
  })
  kernel.jobs.schedule({ name: 'ops.clean_versions', cron: '40 3 * * *', title: 'Remove old task versions' }, () =>
    keepNewestVersions(kernel, keptDays()),
  )
  kernel.jobs.schedule(
    { name: 'ops.close_lost_tasks', cron: '*/10 * * * *', title: 'Close tasks whose worker died', isEssential: true },
    async () => {
      await closeLostTasks(kernel)
      await finishLostExecutions(kernel.db)
    },
  )
}
