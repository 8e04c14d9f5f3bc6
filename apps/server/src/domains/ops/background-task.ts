import { randomUUID } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import type { Call } from '../../kernel/access/call.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { opsBackgroundTask, opsTaskLog } from './tables.ts'

export interface NewTask {
  /** What it does, in English, for people who audit. */
  name: string
  /** The job that does it; its data get `task`, this task's id. */
  job: string
  data: object
  orgId: string
}

/**
 * Queues work whose output people may watch. Answers the task's id, under which the log is read.
 */
export async function startTask(
  { db, jobs }: Kernel,
  call: Pick<Call, 'user'> | undefined,
  { name, job, data, orgId }: NewTask,
): Promise<string> {
  const id = randomUUID()
  // The row first: whoever has the id finds its log, and the worker finds where to write.
  await db.insert(opsBackgroundTask).values({ id, org_id: orgId, user_id: call?.user?.id ?? null, name })
  await jobs.send(job, { ...data, task: id }, { id })
  return id
}

/** Writes lines to a task's log, in order. Awaiting it waits until they can be read. */
export type TaskLog = (line: string) => Promise<void>

/**
 * Runs a task's work, keeping its state and log. A fault is written to the log in one line, without
 * its stack, and marks the task failed; it is not thrown on: the work is on people's machines, and
 * is not to be tried again behind their back.
 */
export async function runTask(
  { db, app }: Kernel,
  id: string,
  work: (log: TaskLog) => Promise<Record<string, unknown>>,
): Promise<void> {
  const [task] = await db
    .update(opsBackgroundTask)
    .set({ state: 'STARTED', date_started: sql`now()` })
    .where(eq(opsBackgroundTask.id, id))
    .returning({ name: opsBackgroundTask.name })
  if (!task) return
  let waiting: Promise<unknown> = Promise.resolve()
  const log: TaskLog = (line) => {
    const written = waiting.then(() =>
      db.insert(opsTaskLog).values({ task: id, data: `${line.replaceAll('\0', '')}\n` }),
    )
    waiting = written.catch(() => {})
    return written.then(() => {})
  }
  const finish = async (state: 'SUCCESS' | 'FAILURE', result: Record<string, unknown>) => {
    await waiting
    await db
      .update(opsBackgroundTask)
      .set({ state, result, date_finished: sql`now()` })
      .where(eq(opsBackgroundTask.id, id))
  }
  await log(`${task.name}`)
  try {
    await finish('SUCCESS', await work(log))
  } catch (error) {
    app.log.error({ err: error, task: id }, 'task failed')
    await log('The task failed.')
    await finish('FAILURE', { error: 'The task failed.' })
  }
}
