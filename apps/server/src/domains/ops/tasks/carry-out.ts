import { and, eq, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { TaskLog } from '../background-task.ts'
import { backgroundWork } from '../background-work.ts'
import { eachHost, Gathered } from '../run/each-host.ts'
import { opsAdhoc, opsAdhocExecution, opsAdhocExecutionHost, opsTask } from '../tables.ts'
import { becomeOf } from './become.ts'
import { hostsOf, latestVersion, RUN_TASK, startVersion, titleOf } from './start-run.ts'
import { findTaskKind, type HostResults, type RunHost, type RunSummary, type TaskRun } from './task-kinds.ts'

/** Runs of a node at a time; their machines have a bound of their own. */
const RUNS = 5
const EXPIRE_SECONDS = 4 * 3600

const NOT_BEGUN = 'Cancelled before it was begun here'

/** The job of runs, and that of tasks whose time has come. */
export function registerTaskRuns(kernel: Kernel): void {
  backgroundWork<{ adhoc: string; hosts?: string[] }>(kernel, {
    job: RUN_TASK,
    run: ({ id, data: { adhoc, hosts }, signal, log }) => carryOut(kernel, { id, adhoc, hosts, signal }, log),
    runs: { open: unfinishedRuns, close: ({ db }, ids) => finishRuns(db, ids, false) },
    concurrency: RUNS,
    expireSeconds: EXPIRE_SECONDS,
  })
  kernel.jobs.work<{ id: string }>('ops.run_due_task', async ({ id }) => {
    const version = await latestVersion(kernel.db, id)
    if (version)
      await startVersion(kernel, undefined, {
        adhoc: version.id,
        orgId: version.org_id,
        title: titleOf(version.name).title,
      })
  })
}

async function carryOut(
  kernel: Kernel,
  { id, adhoc, hosts: only, signal }: { id: string; adhoc: string; hosts: string[] | undefined; signal: AbortSignal },
  log: TaskLog,
): Promise<Record<string, unknown>> {
  const { db } = kernel
  const [version] = await db.select().from(opsAdhoc).where(eq(opsAdhoc.id, adhoc))
  const kind = version && findTaskKind(version.kind)
  if (!version || !kind) {
    const error = 'The task has no version that could run.'
    await log(error)
    return { error }
  }
  const hosts = await begin(db, id, version, only)
  const results = new Gathered<StoredResult>((items) => storeResults(db, id, items))
  const run: TaskRun = {
    id,
    hosts,
    data: version.data,
    become: becomeOf(kernel, version),
    log,
    signal,
    each: (some, work, counts) =>
      workOn(kernel, some, work, { counts, results, signal, log, skipped: hosts.length - some.length }),
  }
  try {
    return await kind(kernel, run)
  } finally {
    await results.flush()
    if (signal.aborted) await log('The run was cancelled: what had begun on a machine was ended there.')
    await finishRuns(db, [id], !signal.aborted)
  }
}

/** Makes the execution, and answers the machines on which it is not over. */
async function begin(
  db: Database,
  id: string,
  { id: adhoc, task, org_id }: typeof opsAdhoc.$inferSelect,
  only: readonly string[] | undefined,
): Promise<string[]> {
  const hosts = (await hostsOf(db, adhoc)).filter((host) => only?.includes(host) ?? true)
  const made = await db
    .insert(opsAdhocExecution)
    .values({
      id,
      org_id,
      task,
      adhoc,
      task_display:
        sql`coalesce((SELECT left(name, 91) FROM ops_task WHERE id = ${task}), '') || ${`@${org_id}`}` as unknown as string,
      hosts_amount: hosts.length,
    })
    .onConflictDoNothing()
    .returning({ id: opsAdhocExecution.id })
  if (made.length) {
    await db.update(opsTask).set({ latest_execution: id }).where(eq(opsTask.id, task))
    return hosts
  }
  // Another node began it and was lost.
  const done = await db
    .select({ asset: opsAdhocExecutionHost.asset })
    .from(opsAdhocExecutionHost)
    .where(eq(opsAdhocExecutionHost.execution, id))
  const over = new Set(done.map(({ asset }) => asset))
  return hosts.filter((host) => !over.has(host))
}

interface StoredResult {
  host: RunHost
  results: HostResults
}

const isSuccess = (results: HostResults) => Object.values(results).every(({ ok }) => ok)

interface Working {
  counts: 'hosts' | 'steps' | undefined
  results: Gathered<StoredResult>
  signal: AbortSignal
  log: TaskLog
  skipped: number
}

async function workOn<H extends RunHost>(
  kernel: Kernel,
  hosts: readonly H[],
  work: (host: H) => Promise<HostResults>,
  { counts = 'hosts', results, signal, log, skipped }: Working,
): Promise<RunSummary> {
  const summary = { success: 0, failed: 0, skipped: Math.max(0, skipped) }
  const begun = new Set<string>()
  await eachHost(
    hosts,
    async (host) => {
      begun.add(host.id)
      const steps = await work(host).catch(async (error) => {
        kernel.app.log.error({ err: error, asset: host.id }, 'task on a machine')
        await log(`${host.name} | FAILED | The task failed.`)
        return { error: { ok: false, msg: 'The task failed.' } }
      })
      for (const ok of counts === 'steps' ? Object.values(steps).map((step) => step.ok) : [isSuccess(steps)])
        summary[ok ? 'success' : 'failed']++
      results.add({ host, results: steps })
    },
    { signal },
  )
  // Machines that were not begun are reported as well: nobody shall take them for done.
  for (const host of signal.aborted ? hosts : []) {
    if (begun.has(host.id)) continue
    results.add({ host, results: { run: { ok: false, msg: NOT_BEGUN } } })
    summary.skipped++
  }
  await log(`ok=${summary.success} failed=${summary.failed} skipped=${summary.skipped}`)
  return summary
}

/** Nothing becomes part of a run that is over: another node may have found this one lost. */
async function storeResults(db: Database, execution: string, items: readonly StoredResult[]): Promise<void> {
  if (!items.length) return
  await db.transaction(async (tx) => {
    const { id, is_finished } = opsAdhocExecution
    const [open] = await tx
      .select({ id })
      .from(opsAdhocExecution)
      .where(and(eq(id, execution), eq(is_finished, false)))
      .for('share')
    if (!open) return
    await tx
      .insert(opsAdhocExecutionHost)
      .values(
        items.map(({ host, results }) => ({
          execution,
          asset: host.id,
          name: host.name,
          is_success: isSuccess(results),
          results,
        })),
      )
      .onConflictDoNothing()
  })
}

/**
 * The end of runs: success means that nothing failed anywhere (docs/rules/ops.md#adhoc_execution).
 */
async function finishRuns(db: Database, ids: readonly string[], wasCarriedOut: boolean): Promise<void> {
  const failed = sql`EXISTS (SELECT 1 FROM ops_adhoc_execution_host h WHERE h.execution = e.id AND NOT h.is_success)`
  await db.execute(sql`
    WITH over AS (
      UPDATE ops_adhoc_execution e SET is_finished = true, is_success = ${wasCarriedOut} AND NOT ${failed}, date_finished = now()
      WHERE e.id = ANY(${sql.param([...ids])}::uuid[]) AND NOT e.is_finished RETURNING e.task, e.is_success)
    UPDATE ops_task SET runs = runs + counted.amount, successes = successes + counted.good
    FROM (SELECT task, count(*)::int AS amount, count(*) FILTER (WHERE is_success)::int AS good FROM over GROUP BY task) counted
    WHERE ops_task.id = counted.task`)
}

async function unfinishedRuns(db: Database): Promise<string[]> {
  const { id, is_finished, date_start } = opsAdhocExecution
  const rows = await db
    .select({ id })
    .from(opsAdhocExecution)
    .where(and(eq(is_finished, false), sql`${date_start} < now() - interval '1 minute'`))
  return rows.map((row) => row.id)
}
