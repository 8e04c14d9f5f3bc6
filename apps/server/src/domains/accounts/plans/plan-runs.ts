import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { z } from 'zod'
import type { Call } from '../../../kernel/access/call.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import { scheduleRows } from '../../../kernel/jobs/row-schedules.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { findStored } from '../../../kernel/resource/read.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { backgroundWork, startTask, type TaskLog, type TaskRuns } from '../../ops/index.ts'

/** The longest that the queue allows: a plan may be about ten thousand machines of which many don't answer. */
const RUN_SECONDS = 24 * 3600

type PlanTable = Parameters<typeof scheduleRows>[2] &
  Record<'org_id' | 'name', AnyPgColumn<{ data: string; notNull: true }>>

interface Plan {
  id: string
  org_id: string
  name: string
}

/** Plans of one kind, whose runs are background tasks. */
export interface PlanTimes {
  /** Their table has `periodicColumns`. */
  plans: MountedResource<PlanTable>
  /** The job, as `<domain>.<verb>`. */
  job: string
  /** What it does, in English; shown in the audit pages. */
  name: string
  /** What starts it by the clock, in English; shown in the task monitor. */
  schedule: string
  run(run: PlanRun, log: TaskLog): Promise<Record<string, unknown>>
  /** The rows that tell of their runs. */
  runs: TaskRuns
}

interface PlanRuns extends PlanTimes {
  /** Their runs: a POST to these, with the plan's id as `field`, starts one. */
  executions: ResourceDefinition
  field: 'plan' | 'task'
  /** A description of the POST, for the API's documentation. */
  summary: string
}

export interface PlanRun {
  /** The task's id, and the execution's. */
  id: string
  plan: string
  trigger: 'manual' | 'timing'
  /** Aborted when somebody cancels it. */
  signal: AbortSignal
}

/** Starts a run of a plan by hand; answers the id of its task. */
type StartPlan = (call: Call, plan: Plan) => Promise<string>

/** Has plans run at their times; answers how a person starts one. */
export function registerPlanTimes(kernel: Kernel, { plans, job, name, schedule, run, runs }: PlanTimes): StartPlan {
  const { jobs, db } = kernel
  const { table } = plans.mount
  const start = (call: Call | undefined, plan: Plan, trigger: PlanRun['trigger']) =>
    startTask(kernel, call, { name, job, data: { plan: plan.id, trigger }, orgId: plan.org_id, subject: plan.name })
  backgroundWork<Pick<PlanRun, 'plan' | 'trigger'>>(kernel, {
    job,
    run: ({ id, data, signal, log }) => run({ id, ...data, signal }, log),
    runs,
    concurrency: 2,
    expireSeconds: RUN_SECONDS,
  })
  const due = `${job}_when_due`
  jobs.work<{ id: string }>(due, async ({ id }) => {
    const columns = { id: table.id, org_id: table.org_id, name: table.name }
    const [plan] = (await db
      .select(columns as never)
      .from(table as PgTable)
      .where(eq(table.id, id))) as Plan[]
    if (plan) await start(undefined, plan, 'timing')
  })
  scheduleRows(jobs, db, table, due, schedule)
  return (call, plan) => start(call, plan, 'manual')
}

/** Has plans run at their times, and whenever a person starts one: the answer is the task's id. */
export function registerPlanRuns(kernel: Kernel, { executions, field, summary, ...times }: PlanRuns): void {
  const start = registerPlanTimes(kernel, times)
  const body = z.object({ [field]: z.guid() })
  const { path, permission, needsLicense } = executions
  kernel.app.route({
    method: 'POST',
    url: path,
    config: { access: permission.write, needsLicense, summary, takes: body },
    handler: async (request, reply) => {
      const { [field]: id = '' } = body.parse(request.body ?? {})
      const plan = (await findStored(times.plans, id, contextOf(kernel, request))) as Plan | undefined
      if (!plan) throw invalid({ [field]: 'Not found.' })
      return reply.status(201).send({ task: await start(request.call, plan) })
    },
  })
}

/** Runs that are rows with how long they took, which is null before their end. */
export function timedRuns(
  table: PgTable & { id: AnyPgColumn; date_start: AnyPgColumn; timedelta: AnyPgColumn; reason: AnyPgColumn },
): TaskRuns {
  const isOpen = isNull(table.timedelta)
  return {
    async open(db) {
      const rows = await db
        .select({ id: table.id })
        .from(table as PgTable)
        .where(and(isOpen, sql`${table.date_start} < now() - interval '1 minute'`))
      return rows.map(({ id }) => String(id))
    },
    close: ({ db }, ids, reason) =>
      db
        .update(table as PgTable)
        .set({ timedelta: sql`extract(epoch FROM now() - ${table.date_start})`, reason } as never)
        .where(and(isOpen, inArray(table.id, [...ids]))),
  }
}
