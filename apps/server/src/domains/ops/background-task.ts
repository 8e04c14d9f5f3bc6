import { randomUUID } from 'node:crypto'
import { task as taskDefinition } from '@sallyport/contract/resources/ops/task.ts'
import { eq, sql } from 'drizzle-orm'
import type { Call } from '../../kernel/access/call.ts'
import type { FieldChange } from '../../kernel/audit/audit.ts'
import { awaitedLater } from '../../kernel/background.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { type EndNotice, notifyOfEnd } from './end-notice.ts'
import { Cancelled } from './run/cancellable-runs.ts'
import { opsBackgroundTask, opsTaskLog } from './tables.ts'

export interface NewTask {
  /** What it does, in English; shown in the audit pages. */
  name: string
  /** The job that does it; its data get this task's id as `task`. */
  job: string
  data: object
  orgId: string
  /** Where something else is known by the same id. */
  id?: string
  /** What it is done with, for the operate log. */
  subject?: string | undefined
  changes?: readonly FieldChange[]
  /** The operate log tells of it by another row, of which this follows. */
  isLogged?: boolean | undefined
}

/**
 * Queues work whose output people may watch, within the transaction that `db` may be, and writes into
 * the operate log who had it done. Answers the task's id, by which its log is read.
 */
export async function startTask(
  { db, jobs, audit }: Pick<Kernel, 'db' | 'jobs' | 'audit'>,
  call: Call | undefined,
  { name, job, data, orgId, id = randomUUID(), subject, changes = [], isLogged = false }: NewTask,
): Promise<string> {
  // Both or neither: the log must exist for a client with the id, and nobody waits for a job that
  // is not there.
  await db.transaction(async (tx) => {
    await tx.insert(opsBackgroundTask).values({ id, org_id: orgId, user_id: call?.user?.id ?? null, name })
    await jobs.send(job, { ...data, task: id }, { id, db: tx, owner: call?.user?.id })
    if (!call || isLogged) return
    const resource = subject ? `${name}: ${subject}` : name
    await audit.record(tx, call, [{ action: 'create', resourceType: taskDefinition.label, resource, orgId, changes }])
  })
  return id
}

/** Writes lines to a task's log, in order. Awaiting it waits until they can be read. */
export type TaskLog = (line: string) => Promise<void>

/**
 * Does a task's work, keeping its state and log. An error is written to the log in one line,
 * without its stack, and marks the task failed. It is not thrown on: the queue must not repeat by
 * itself what is done on people's machines.
 */
export async function runTask(
  kernel: Kernel,
  id: string,
  work: (log: TaskLog) => Promise<Record<string, unknown>>,
  notice: EndNotice = {},
): Promise<void> {
  const { db, app } = kernel
  const [task] = await db
    .update(opsBackgroundTask)
    .set({ state: 'STARTED', date_started: sql`now()` })
    .where(eq(opsBackgroundTask.id, id))
    .returning({ name: opsBackgroundTask.name })
  if (!task) return
  const lines: string[] = []
  let waiting: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined
  // What comes while a piece is being written goes into the next one: many machines at once must
  // not mean as many writes.
  const log: TaskLog = (line) => {
    lines.push(`${line.replaceAll('\0', '')}\n`)
    next ??= awaitedLater(
      waiting.then(async () => {
        next = undefined
        await db.insert(opsTaskLog).values({ task: id, data: lines.splice(0).join('') })
      }),
    )
    waiting = next.catch(() => {})
    return next
  }
  const finish = async (state: 'SUCCESS' | 'FAILURE', result: Record<string, unknown>) => {
    await waiting
    const [ended] = await db
      .update(opsBackgroundTask)
      .set({ state, result, date_finished: sql`now()` })
      .where(eq(opsBackgroundTask.id, id))
      .returning()
    return ended
  }
  await log(`${task.name}`)
  let ended: typeof opsBackgroundTask.$inferSelect | undefined
  try {
    ended = await finish('SUCCESS', await work(log))
  } catch (error) {
    const reason = error instanceof Cancelled ? error.message : 'The task failed.'
    if (!(error instanceof Cancelled)) app.log.error({ err: error, task: id }, 'task failed')
    await log(reason)
    ended = await finish('FAILURE', { error: reason })
  }
  if (ended) await notifyOfEnd(kernel, ended, notice)
}
