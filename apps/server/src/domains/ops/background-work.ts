import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { runTask, type TaskLog } from './background-task.ts'
import { notifyOfEnd } from './end-notice.ts'
import { CancellableRuns, Cancelled } from './run/cancellable-runs.ts'
import { opsBackgroundTask } from './tables.ts'

/** A kind of background task that people may cancel while it runs. */
export interface BackgroundWork<T extends object> {
  /** Its job, as `<domain>.<verb>`, which `startTask` queues. */
  job: string
  /** Does it; answers its result in short. Once it is cancelled it ends soon, or throws the signal's reason. */
  run(task: RunningTask<T>): Promise<Record<string, unknown>>
  runs?: TaskRuns
  /** Whether the person who started it is notified of its end however soon that comes. */
  isAlwaysNotified?: boolean
  /** Limit of a node, at a time. */
  concurrency: number
  expireSeconds: number
}

export interface RunningTask<T extends object> {
  id: string
  data: T
  log: TaskLog
  /** Aborted when somebody cancels it. */
  signal: AbortSignal
}

/** The rows that tell of a kind's runs; their ids are those of their tasks. */
export interface TaskRuns {
  /** Those without an end that are older than a minute: a row may come before its task. */
  open(db: Database): Promise<string[]>
  /** Gives those of them that have none an end, without success: nobody carries them on. `reason` is an English sentence. */
  close(kernel: Kernel, ids: readonly string[], reason: string): Promise<unknown>
}

const STOPPED = 'The node that did this was stopped, and nobody carried it on'

const kinds = new Map<string, TaskRuns | undefined>()

/** Declares the work of a kind, at start. However a task ends, its run gets an end. */
export function backgroundWork<T extends object>(kernel: Kernel, work: BackgroundWork<T>): void {
  const { job, run, runs, isAlwaysNotified = false, ...limits } = work
  kinds.set(job, runs)
  const running = new CancellableRuns(kernel, () => new Cancelled())
  const does = (id: string, data: T, signal: AbortSignal) =>
    runTask(
      kernel,
      id,
      (log) =>
        run({ id, data, log, signal }).catch(async (error) => {
          await runs?.close(kernel, [id], error instanceof Cancelled ? error.message : 'The task failed.')
          throw error
        }),
      { isAlwaysNotified },
    )
  kernel.jobs.work<T & { task: string }>(
    job,
    ({ task, ...data }) => running.during(task, (signal) => does(task, data as unknown as T, signal)),
    limits,
  )
}

/** Whether the jobs of a queue can be ended while they run. */
export const isCancellableWork = (job: string): boolean => kinds.has(job)

/** Gives the run of a task an end that was taken out of its queue. */
export async function closeWithdrawn(kernel: Kernel, job: string, id: string): Promise<void> {
  await kinds.get(job)?.close(kernel, [id], new Cancelled().message)
}

/**
 * Ends tasks that nobody carries on, because their worker died twice or a stop cut them off: tasks
 * first, since viewers of their log would wait for ever, then the runs of ended tasks. Tasks of the
 * last minute are left alone: a task's row is made before its job.
 */
export async function closeLostTasks(kernel: Kernel): Promise<void> {
  const { db } = kernel
  const lost = await db
    .update(opsBackgroundTask)
    .set({ state: 'FAILURE', result: { error: STOPPED }, date_finished: sql`now()` as unknown as Date })
    .where(
      sql`${opsBackgroundTask.state} IN ('PENDING', 'STARTED') AND ${opsBackgroundTask.date_created} < now() - interval '1 minute'
        AND NOT EXISTS (SELECT 1 FROM kernel_job j WHERE j.id = ${opsBackgroundTask.id} AND j.state IN ('waiting', 'running'))`,
    )
    .returning()
  for (const runs of kinds.values()) {
    const open = (await runs?.open(db)) ?? []
    if (!runs || !open.length) continue
    const { rows } = await db.execute<{ id: string }>(sql`
      SELECT id FROM unnest(${sql.param(open)}::uuid[]) AS id
      WHERE NOT EXISTS (SELECT 1 FROM ops_background_task t WHERE t.id = id.id AND t.state IN ('PENDING', 'STARTED'))`)
    if (!rows.length) continue
    await runs.close(
      kernel,
      rows.map(({ id }) => id),
      STOPPED,
    )
  }
  for (const task of lost) await notifyOfEnd(kernel, task)
}
