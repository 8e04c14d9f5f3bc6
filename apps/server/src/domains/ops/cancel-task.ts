import { and, eq, inArray, sql } from 'drizzle-orm'
import { type Call, isOrgAdmin } from '../../kernel/access/call.ts'
import { forbidden, refused } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { closeWithdrawn, isCancellableWork } from './background-work.ts'
import { RUN_COMMAND } from './command-executions/command-execution.resource.ts'
import { finishExecution } from './command-executions/progress.ts'
import { cancelRun } from './run/cancellable-runs.ts'
import { opsBackgroundTask } from './tables.ts'
import { getReadableTask } from './task-log.ts'

/** A job as the queue has it. */
export interface QueuedJob {
  id: string
  queue: string
  /** Begun, and not over. */
  isRunning: boolean
  /** Neither begun nor over. */
  isWaiting: boolean
}

/** Whether a job can be ended: before it is begun, and later where its work allows. */
export const isCancellable = ({ queue, isRunning, isWaiting }: Omit<QueuedJob, 'id'>): boolean =>
  isWaiting || (isRunning && (queue === RUN_COMMAND || isCancellableWork(queue)))

/**
 * Takes a job that waits out of its queue, and tells the node that does it to end it otherwise; false
 * where neither can be.
 */
export async function cancelJob(kernel: Kernel, job: QueuedJob): Promise<boolean> {
  if (!isCancellable(job)) return false
  const { id, queue } = job
  if (job.isRunning) {
    await cancelRun(kernel, id)
    return true
  }
  if (!(await kernel.jobs.withdraw(queue, id))) {
    // It may have been begun since it was looked at.
    const now = await jobOf(kernel, id)
    return now?.isRunning ? cancelJob(kernel, now) : false
  }
  await kernel.db
    .update(opsBackgroundTask)
    .set({ state: 'FAILURE', result: { error: 'Cancelled' }, date_finished: sql`now()` as unknown as Date })
    .where(and(eq(opsBackgroundTask.id, id), inArray(opsBackgroundTask.state, ['PENDING', 'STARTED'])))
  await closeWithdrawn(kernel, queue, id)
  if (queue === RUN_COMMAND) await finishExecution(kernel, id, 'Cancelled')
  return true
}

type Task = Awaited<ReturnType<typeof getReadableTask>>

/** The person who began a task may end it, and so may administrators of its organization. */
const mayCancel = (call: Call, { user_id }: Task): boolean =>
  (call.user !== undefined && user_id === call.user.id) || isOrgAdmin(call)

async function jobOf({ db }: Kernel, id: string): Promise<QueuedJob | undefined> {
  const { rows } = await db.execute<{ queue: string; isRunning: boolean; isWaiting: boolean }>(sql`
    SELECT queue, state = 'running' AS "isRunning", state = 'waiting' AS "isWaiting" FROM kernel_job WHERE id = ${id}`)
  return rows[0] && { id, ...rows[0] }
}

/**
 * The job of a task that can be ended now; undefined where it is over. Its job goes on for a moment
 * behind a task that has ended: notices are sent.
 */
async function cancellableJob(kernel: Kernel, { id, state }: Task): Promise<QueuedJob | undefined> {
  if (!['PENDING', 'STARTED'].includes(state)) return undefined
  const job = await jobOf(kernel, id)
  return job && isCancellable(job) ? job : undefined
}

/** GET celery/task/{id}/result/: how a background task stands, and whether the caller may end it. */
export function registerTaskResult(kernel: Kernel): void {
  kernel.app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/api/v1/ops/celery/task/:id/result/',
    config: { access: ['authenticated'], summary: 'State and result of a background task' },
    handler: async ({ call, params }) => {
      const task = await getReadableTask(kernel, call, params.id)
      const { id, state, result } = task
      return {
        id,
        result,
        state,
        can_cancel: mayCancel(call, task) && (await cancellableJob(kernel, task)) !== undefined,
      }
    },
  })
}

/** POST celery/task/{id}/cancel/: ends a background task, before it is begun or on its machines. */
export function registerTaskCancel(kernel: Kernel): void {
  kernel.app.route<{ Params: { id: string } }>({
    method: 'POST',
    url: '/api/v1/ops/celery/task/:id/cancel/',
    config: {
      access: ['authenticated'],
      summary: 'End a background task',
      answers: { fields: plainFields({ detail: 'string' }) },
    },
    handler: async ({ call, params }) => {
      const task = await getReadableTask(kernel, call, params.id)
      if (!mayCancel(call, task)) throw forbidden()
      const job = await cancellableJob(kernel, task)
      if (!job) throw refused('bad_request', 'The task is over, or cannot be ended any more')
      await kernel.db.transaction(async (tx) => {
        await kernel.audit.record(tx, call, [
          {
            action: 'update',
            resourceType: 'Background task',
            resource: `${task.name} ${task.id}`,
            orgId: task.org_id,
            object: { type: 'background_task', id: task.id },
            changes: [{ field: 'state', label: 'State', before: task.state, after: 'cancelled' }],
          },
        ])
        await cancelJob(kernel, job)
      })
      return { detail: 'ok' }
    },
  })
}
