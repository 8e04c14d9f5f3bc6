import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { notify } from '../../domains/notifications/index.ts'
import {
  type DueSchedule,
  dueSchedule,
  mountRunbookSchedules,
  noteScheduledRun,
  noteUnrun,
  RUN_SCHEDULED,
  runbookOf,
} from '../../domains/ops/index.ts'
import { usersAccount } from '../../domains/users/index.ts'
import type { Call, CallUser } from '../../kernel/access/call.ts'
import { AppError, forbidden, invalid } from '../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { createRow } from '../../kernel/resource/write.ts'
import { placeRun } from './admit-batch.ts'
import { bodyOf, planRun, VALUES } from './runbook-plan.ts'

const LOOKED_AT = z.object({ version: z.int().optional() })

/** Schedules, which take only what their author could run now, and the runs that they begin. */
export function registerRunbookSchedules(kernel: Kernel, executions: MountedResource): void {
  const { db, jobs } = kernel
  mountRunbookSchedules(kernel, async ({ call, draft, row, body }, { hosts, run_as, values: given }) => {
    const { version } = LOOKED_AT.parse(body)
    const parsed = VALUES.safeParse(given)
    if (!parsed.success) throw invalid({ values: 'Values are texts, by variable' })
    const values = parsed.data
    const runbook = await runbookOf(db, String(draft.runbook ?? row?.runbook))
    const placed = await placeRun(kernel, { call, hosts, systemUserId: run_as })
    if (!runbook || placed.orgId !== runbook.org_id) throw invalid({ runbook: 'Not found.' })
    const run = { hosts: [...hosts], run_as, values, ...(version === undefined ? {} : { version }) }
    planRun(call, runbook, run, placed.facts)
    return { runbook, values }
  })
  jobs.work<{ id: string }>(
    RUN_SCHEDULED,
    async ({ id }, job) => {
      const due = await dueSchedule(db, id, job)
      if (!due) return
      try {
        await noteUnrun(db, id, { last_execution: await begin(kernel, executions, due, job) })
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        await tellUnrun(kernel, due, error)
      }
    },
    { concurrency: 5 },
  )
}

/**
 * Begins a run, as its author might by themselves right now; machines that they may not use any more
 * are in it, and skipped.
 */
async function begin(kernel: Kernel, executions: MountedResource, due: DueSchedule, job: string): Promise<string> {
  const { schedule, runbook, run_as, values } = due
  const call = await callOf(kernel, due)
  // What they looked at, and nothing that somebody else has written since, runs with their rights.
  if (runbook.version !== schedule.version) throw new AppError(409, 'changed', CHANGED)
  const placed = await placeRun(kernel, { call, hosts: due.hosts, systemUserId: run_as, isScheduled: true })
  const run = { hosts: [...placed.names.keys()], run_as, values: { ...values } }
  const plan = { ...planRun(call, runbook, run, placed.facts), isScheduled: true }
  const context = { kernel, db: kernel.db, call, parameters: {}, query: {} }
  const { id } = await createRow(executions, bodyOf(plan, run), context, (db) => noteScheduledRun(db, schedule.id, job))
  return String(id)
}

const CHANGED = 'The runbook has been changed since the schedule was saved: look at it, and save the schedule again'

async function tellUnrun(kernel: Kernel, { schedule, runbook }: DueSchedule, error: AppError): Promise<void> {
  const texts = Object.values(error.fields ?? {}).flat()
  const wordsIn = (language: Language) =>
    (texts.length ? texts.map(String) : [error.message])
      .map((text) => translate(language, text, error.values))
      .join('; ')
  await noteUnrun(kernel.db, schedule.id, { error: wordsIn(schedule.language) })
  await notify(kernel, [schedule.user_id], (say) => ({
    subject: say('A scheduled runbook was not run: {{name}}', { name: runbook.name }),
    paragraphs: [wordsIn(schedule.language)],
  }))
}

/** As the author of a schedule, where they still may sign in. */
async function callOf(kernel: Kernel, { schedule }: DueSchedule): Promise<Call> {
  const { id, name, username, role, is_valid } = usersAccount
  const [user] = await kernel.db
    .select({ id, name, username, role, is_valid })
    .from(usersAccount)
    .where(eq(id, schedule.user_id))
  if (!user?.is_valid) throw forbidden('The account of whoever began this is not active any more')
  const names = await kernel.orgNames()
  return {
    user: { id: user.id, name: user.name, username: user.username, role: user.role as CallUser['role'] },
    via: undefined,
    sessionId: undefined,
    org: { id: schedule.org_id, name: names.get(schedule.org_id) ?? '' },
    orgRoles: [],
    language: schedule.language,
    timeZone: kernel.jobs.zone,
    remoteAddress: schedule.remote_addr,
  }
}
