import { z } from 'zod'
import { notify } from '../../domains/notifications/index.ts'
import {
  type DueSchedule,
  dueSchedule,
  noteScheduledRun,
  noteUnrun,
  RUN_SCHEDULED,
  runbookOf,
  scheduleCheck,
} from '../../domains/ops/runbooks/index.ts'
import { AppError, forbidden, invalid } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { createRow } from '../../kernel/resource/write.ts'
import { placeRun } from './admit-batch.ts'
import { callNow } from './call-now.ts'
import { bodyOf, planRun, VALUES } from './runbook-plan.ts'
import { mayPassSecrets, NO_SECRETS, requireSecrets } from './secret-rights.ts'

const LOOKED_AT = z.object({ version: z.int().optional() })

/** Schedules, which take only what their author could run now, and the runs that they begin. */
export function registerRunbookSchedules(kernel: Kernel, executions: MountedResource): void {
  const { db, jobs } = kernel
  scheduleCheck.provide(async ({ kernel, db, call, draft, row, body }, { hosts, run_as, values: given }) => {
    const lookedAt = LOOKED_AT.parse(body).version
    const parsed = VALUES.safeParse(given)
    if (!parsed.success) throw invalid({ values: 'Values are texts, by variable' })
    const values = parsed.data
    const runbook = await runbookOf(db, String(draft.runbook ?? row?.runbook))
    const placed = await placeRun(kernel, { call, hosts, systemUserId: run_as })
    if (!runbook || placed.orgId !== runbook.org_id) throw invalid({ runbook: 'Not found.' })
    // A change that does not say which steps were looked at agrees to none but those of before.
    const version = lookedAt ?? (row?.runbook === runbook.id ? row.version : undefined)
    const run = { hosts: [...hosts], run_as, values, ...(version === undefined ? {} : { version }) }
    const { handed } = planRun(call, runbook, run, placed)
    await requireSecrets(kernel, call, handed, runbook.org_id)
    return { runbook, values }
  })
  jobs.work<{ id: string }>(
    RUN_SCHEDULED,
    async ({ id }, job) => {
      const due = await dueSchedule(db, id, job)
      if (!due) return
      try {
        await begin(kernel, executions, due, job)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        await reportUnrun(kernel, due, error)
      }
    },
    { concurrency: 5 },
  )
}

/**
 * Begins a run, as its author might by themselves right now; machines that they may not use any more
 * are in it, and skipped.
 */
async function begin(kernel: Kernel, executions: MountedResource, due: DueSchedule, job: string): Promise<void> {
  const { schedule, runbook, run_as, values, isRunning } = due
  // Runs that wait, each for somebody's word, would fill the node.
  if (isRunning) throw new AppError(409, 'running', RUNNING)
  const call = await callNow(kernel, schedule)
  // Only the version that they looked at runs with their rights, and no later one of somebody else.
  if (runbook.version !== schedule.version) throw new AppError(409, 'changed', CHANGED)
  const placed = await placeRun(kernel, { call, hosts: due.hosts, systemUserId: run_as, isScheduled: true })
  const run = { hosts: [...placed.names.keys()], run_as, values: { ...values } }
  const plan = { ...planRun(call, runbook, run, placed), isScheduled: true }
  if (!mayPassSecrets(call, plan.handed)) throw forbidden(NO_SECRETS)
  const context = { kernel, db: kernel.db, call, parameters: {}, query: {} }
  await createRow(executions, bodyOf(plan, run), context, (db, { id }) =>
    noteScheduledRun(db, schedule, { job, execution: String(id) }),
  )
}

const RUNNING = 'The run before has not ended yet'
const CHANGED = 'The runbook has been changed since the schedule was saved: look at it, and save the schedule again'

/** Notes why nothing ran, and tells the author: once, as long as the reason is the same, and of no run that goes on. */
async function reportUnrun(kernel: Kernel, due: DueSchedule, error: AppError): Promise<void> {
  const { schedule, runbook, isRunning } = due
  const texts = Object.values(error.fields ?? {}).flat()
  const words = (texts.length ? texts.map(String) : [error.message])
    .map((text) => translate(schedule.language, text, error.values))
    .join('; ')
  await noteUnrun(kernel.db, due, words)
  if (isRunning || words === schedule.error) return
  await notify(kernel, [schedule.user_id], (say) => ({
    subject: say('A scheduled runbook was not run: {{name}}', { name: runbook.name }),
    paragraphs: [words],
  }))
}
