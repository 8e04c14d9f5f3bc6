import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { unlessAnotherIsAtIt } from '../../../kernel/database/locks.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { TaskLog, TaskRuns } from '../../ops/index.ts'
import { machinesToChange } from '../../system-users/index.ts'
import type { ChangeTask } from '../rotation/open-task.ts'
import { REASONS } from '../rotation/rotation-error.ts'
import { accountsChangeExecution, accountsChangeTask } from '../tables.ts'
import { type ChangeRequest, changeOne, changeRequestOf, settleOne, type TaskEnd } from './change-one.ts'
import { mailResults } from './mail-results.ts'

/** Never more machines at once than this share of a run. */
const PARALLEL = 5
/** So many changes that went wrong once they had been sent stop a run. */
const MAX_FAILURES = 3

/**
 * Carries a run out, or on: what a stopped node left is settled first. One account goes ahead of all
 * others; where its change goes wrong nothing else is changed. What could not even be begun, because
 * a machine is down, stops nobody. Once it is cancelled, what is under way goes on to its end: nothing
 * is left half changed.
 */
export async function runPlan(
  kernel: Kernel,
  id: string,
  log: TaskLog,
  signal?: AbortSignal,
): Promise<Record<string, unknown>> {
  const done = await unlessAnotherIsAtIt(kernel.pool, `accounts run ${id}`, async () => {
    const request = await changeRequestOf(kernel, id)
    if (!request) return { error: 'The plan does not exist any more' }
    const report = await reporter(kernel, id, log)
    for (const task of await tasksOf(kernel, id, 'running')) await report(task, await settleOne(kernel, task))
    const waiting = await inOrder(kernel, await tasksOf(kernel, id, 'waiting'))
    for (const queue of waiting)
      await drain(queue, { request, signal }, async (task) => report(task, await changeOne(kernel, task, request)))
    const summary = await finish(kernel, id)
    await mailResults(kernel, id, log)
    return summary
  })
  return done ?? { error: 'Another node runs this plan' }
}

const tasksOf = ({ db }: Kernel, execution: string, state: ChangeTask['state']): Promise<ChangeTask[]> =>
  db
    .select()
    .from(accountsChangeTask)
    .where(and(eq(accountsChangeTask.execution, execution), eq(accountsChangeTask.state, state)))
    .orderBy(asc(accountsChangeTask.place))

/** The accounts with which others are changed come last. */
async function inOrder({ db }: Kernel, tasks: ChangeTask[]): Promise<ChangeTask[][]> {
  const machines = await machinesToChange(
    db,
    tasks.flatMap(({ asset }) => asset ?? []),
  )
  const admins = new Map(machines.map(({ id, adminName }) => [id, adminName]))
  const isAdmin = ({ asset, username }: ChangeTask) => admins.get(asset ?? '') === username
  return [tasks.filter((task) => !isAdmin(task)), tasks.filter(isAdmin)].filter(({ length }) => length)
}

/** Works through a queue, the first by itself, until too much has gone wrong or it is cancelled. */
async function drain(
  queue: ChangeTask[],
  { request, signal }: { request: ChangeRequest; signal: AbortSignal | undefined },
  work: (task: ChangeTask) => Promise<TaskEnd>,
): Promise<void> {
  const next = () => (signal?.aborted ? undefined : queue.shift())
  const isBad = ({ state, wasSent }: TaskEnd) => !request.isRehearsal && state !== 'succeeded' && wasSent
  if (!request.isRehearsal)
    for (let canary = next(); canary; canary = next()) {
      const end = await work(canary)
      if (isBad(end)) return
      if (end.state === 'succeeded') break
    }
  let failures = 0
  const worker = async () => {
    for (let task = next(); task && failures < MAX_FAILURES; task = next()) if (isBad(await work(task))) failures++
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
}

/** Skips the accounts that have not begun; returns the number in each state. */
async function finish({ db }: Kernel, id: string): Promise<Record<string, unknown>> {
  await db
    .update(accountsChangeTask)
    .set({ state: 'skipped', reason: 'stopped' })
    .where(and(eq(accountsChangeTask.execution, id), eq(accountsChangeTask.state, 'waiting')))
  await db
    .update(accountsChangeExecution)
    .set({ is_finished: true, date_finished: sql`now()` as unknown as Date })
    .where(eq(accountsChangeExecution.id, id))
  const { rows } = await db.execute<{ state: string; count: number }>(
    sql`SELECT state, count(*)::int AS count FROM accounts_change_task WHERE execution = ${id} GROUP BY state`,
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

/** Writes a line about each account, as `web-1 | deploy | succeeded`. */
export async function reporter({ db }: Kernel, execution: string, log: TaskLog) {
  const { rows } = await db.execute<{ id: string; name: string }>(sql`
    SELECT t.id, coalesce(a.hostname, p.name) AS name FROM accounts_change_task t
    LEFT JOIN assets_listed_asset a ON a.id = t.asset LEFT JOIN applications_listed_application p ON p.id = t.app
    WHERE t.execution = ${execution}`)
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return async ({ id, username }: ChangeTask, end: TaskEnd): Promise<TaskEnd> => {
    const why = end.error ? ` | ${REASONS[end.error.code]}${end.error.detail && ` (${end.error.detail})`}` : ''
    await log(`${names.get(id) ?? id} | ${username} | ${end.state}${why}`)
    return end
  }
}

/** Tries one account again, in the manner of its run, and tells the recipients what became of it. */
export async function retryOne(kernel: Kernel, id: string, log: TaskLog): Promise<Record<string, unknown>> {
  const [task] = await kernel.db.select().from(accountsChangeTask).where(eq(accountsChangeTask.id, id))
  const request = task && (await changeRequestOf(kernel, task.execution))
  if (!request) return { error: 'The plan does not exist any more' }
  const report = await reporter(kernel, task.execution, log)
  const { state } = await report(task, await changeOne(kernel, task, request))
  await mailResults(kernel, task.execution, log, task.id)
  return { state }
}

/** Accounts in one round; the others follow in the next. */
const ROUND = 50

/** Whether there is any such account, as a condition. */
export const anyToSettle = (): SQL => sql`
  EXISTS (SELECT 1 FROM ${accountsChangeTask} WHERE state = 'running' AND date_start < now() - interval '5 minutes')
  OR EXISTS (SELECT 1 FROM ${accountsChangeTask} WHERE state = 'unknown' AND date_next_probe <= now())`

/**
 * Settles the accounts whose state nobody knew, each when its time has come, and what a node left
 * that is gone.
 */
export async function settleDue(kernel: Kernel): Promise<void> {
  const { db, pool } = kernel
  const { rows: runs } = await db.execute<{ execution: string }>(sql`
    SELECT DISTINCT t.execution FROM accounts_change_task t JOIN accounts_change_execution e ON e.id = t.execution
    WHERE t.state = 'running' AND t.date_start < now() - interval '5 minutes' LIMIT ${ROUND}`)
  for (const { execution } of runs)
    await unlessAnotherIsAtIt(pool, `accounts run ${execution}`, async () => {
      await db.execute(sql`UPDATE accounts_change_task SET state = 'unknown', reason = 'data_not_sent', date_next_probe = now()
        WHERE execution = ${execution} AND state = 'running' AND date_start < now() - interval '5 minutes'`)
    })
  const { rows } = await db.execute<{ id: string }>(sql`
    SELECT id FROM accounts_change_task WHERE state = 'unknown' AND date_next_probe <= now()
    ORDER BY date_next_probe LIMIT ${ROUND}`)
  if (!rows.length) return
  const due = await db
    .select()
    .from(accountsChangeTask)
    .where(
      inArray(
        accountsChangeTask.id,
        rows.map(({ id }) => id),
      ),
    )
  for (const task of due) await settleOne(kernel, task)
}

/** The rows of runs; that of a plan is ended by nobody else while a node still works at it. */
export const changeRuns: TaskRuns = {
  async open(db) {
    const { rows } = await db.execute<{ id: string }>(
      sql`SELECT id FROM accounts_change_execution WHERE NOT is_finished AND date_start < now() - interval '1 minute'`,
    )
    return rows.map(({ id }) => id)
  },
  async close(kernel, ids) {
    for (const id of ids)
      await unlessAnotherIsAtIt(kernel.pool, `accounts run ${id}`, async () => void (await finish(kernel, id)))
  },
}
