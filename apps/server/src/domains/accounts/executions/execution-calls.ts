import { and, eq } from 'drizzle-orm'
import { z } from 'zod'
import { invalid, refused } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { getStored } from '../../../kernel/resource/read.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { rowInOrg } from '../../../kernel/resource/row-in-org.ts'
import { backgroundWork, runTask, startTask } from '../../ops/index.ts'
import { accountsChangePlan, type accountsChangeTask, type PlanFamily } from '../tables.ts'
import { anyToSettle, changeRuns, retryOne, runPlan, settleDue } from './run.ts'
import { RUN_PLAN, startPlan } from './start.ts'

const RETRY = 'accounts.retry_change'
/** The longest that the queue allows: five at a time, ten thousand machines of which many don't answer take a day. */
const RUN_SECONDS = 24 * 3600
const START = z.object({ plan: z.guid(), is_rehearsal: z.boolean().optional() })

interface ExecutionCalls {
  family: PlanFamily
  /** Path of the runs. */
  path: string
  tasks: MountedResource<typeof accountsChangeTask>
}

/** Starting a run by hand, and trying one of its accounts again. */
export function registerExecutionCalls(kernel: Kernel, { family, path, tasks }: ExecutionCalls): void {
  const { app, db } = kernel
  const config = { access: ['org_admin'] as const, needsLicense: true }
  app.route({
    method: 'POST',
    url: path,
    config: {
      ...config,
      summary: 'Run a plan, or rehearse it',
      answers: { fields: plainFields({ task: 'uuid' }) },
      answerStatus: 201,
      takes: START,
    },
    handler: async (request, reply) => {
      const { plan, is_rehearsal: isRehearsal = false } = START.parse(request.body)
      const { call } = request
      const found = await rowInOrg(db, call, accountsChangePlan, plan).catch(() => undefined)
      if (found?.family !== family)
        throw invalid({ plan: translate(call.language, 'Invalid pk "{{id}}" - object does not exist.', { id: plan }) })
      return reply.status(201).send({ task: await startPlan(kernel, { plan, trigger: 'manual', isRehearsal, call }) })
    },
  })
  app.route({
    method: 'PUT',
    url: `${tasks.definition.path}:id/`,
    config: { ...config, summary: 'Try an account of a run again' },
    handler: async (request) => {
      const { id } = request.params as { id: string }
      const task = await getStored(tasks, id, contextOf(kernel, request))
      if (task.state === 'waiting' || task.state === 'running') throw refused('is_running', 'This is still under way')
      if (task.state === 'succeeded') throw refused('is_done', 'This has succeeded already')
      return {
        task: await startTask(kernel, request.call, {
          name: 'Retry the change of a secret',
          job: RETRY,
          data: { change: task.id },
          orgId: task.org_id,
        }),
      }
    },
  })
}

/** The jobs that carry runs out, whatever the accounts are of. */
export function registerExecutionJobs(kernel: Kernel): void {
  const { jobs, db } = kernel
  const options = { concurrency: 2, expireSeconds: RUN_SECONDS }
  backgroundWork<object>(kernel, {
    job: RUN_PLAN,
    run: ({ id, log, signal }) => runPlan(kernel, id, log, signal),
    runs: changeRuns,
    ...options,
  })
  jobs.work<{ task: string; change: string }>(
    RETRY,
    ({ task, change }) => runTask(kernel, task, (log) => retryOne(kernel, change, log)),
    options,
  )
  jobs.work<{ id: string }>('accounts.start_change_plan', async ({ id }) => {
    const [plan] = await db
      .select({ id: accountsChangePlan.id })
      .from(accountsChangePlan)
      .where(and(eq(accountsChangePlan.id, id), eq(accountsChangePlan.is_periodic, true)))
    // A run that is still under way, or a plan without targets, is no fault: its time comes again.
    if (plan) await startPlan(kernel, { plan: id, trigger: 'timing' }).catch(ignoreRefusal)
  })
  jobs.schedule(
    {
      name: 'accounts.settle_changes',
      cron: '* * * * *',
      title: 'Settle unfinished changes of secrets',
      isEssential: true,
      hasWork: anyToSettle,
    },
    () => settleDue(kernel),
  )
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Error && 'status' in error && error.status === 400)) throw error
}
