import { spoken } from '@sallyport/contract/names.ts'
import { runbookSchedule } from '@sallyport/contract/resources/ops/runbook-schedule.ts'
import { and, eq, inArray, isNull, ne, or, type SQL, sql } from 'drizzle-orm'
import { callerOf, displayName, isOrgAdmin, isRoot } from '../../../kernel/access/call.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { forbidden, invalid } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import { planRowTimes, scheduleRows, sendDueRows } from '../../../kernel/jobs/row-schedules.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { Provided } from '../../../kernel/provided.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import type { DeleteContext, ReadContext, StoredRow, WriteContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { notify } from '../../notifications/index.ts'
import { usersAccount } from '../../users/index.ts'
import { opsCommandExecution, opsRunbook, opsRunbookSchedule, opsRunbookScheduleHost } from '../tables.ts'

/** The job of a schedule whose time has come, with `{ id }`. */
export const RUN_SCHEDULED = 'ops.run_scheduled_runbook'

export type ScheduleContext = WriteContext<typeof runbookSchedule, typeof opsRunbookSchedule>

/** The runbook and machines of a schedule. */
interface WantedSchedule {
  runbook: typeof opsRunbook.$inferSelect
  hosts: readonly string[]
  run_as: string
  values: Readonly<Record<string, string>>
}

/**
 * Throws 400 by field for what its author could not run now, and answers the values; it is not asked
 * where somebody only switches one off.
 */
type Check = (
  context: ScheduleContext,
  wanted: Omit<WantedSchedule, 'runbook'>,
) => Promise<{ values: Record<string, string>; runbook: WantedSchedule['runbook'] }>

/** Provided by the gateway, which alone knows machines and who may connect to them. */
export const scheduleCheck = new Provided<Check>('the check of schedules')

/**
 * Schedules of the caller, and for administrators those of their organization.
 */
export default function mountRunbookSchedules(kernel: Kernel): void {
  mountResource(kernel, runbookSchedule, {
    table: opsRunbookSchedule,
    scope: seenBy,
    relations: {
      hosts: {
        table: opsRunbookScheduleHost,
        owner: opsRunbookScheduleHost.schedule,
        target: opsRunbookScheduleHost.asset,
      },
    },
    // `check` lets nothing pass that was not granted, in whatever organization.
    checksItself: ['runbook', 'hosts', 'run_as'],
    computed: [
      { fields: ['is_outdated'], load: outdated },
      { fields: ['author', 'is_own'], load: authors },
    ],
    rules: {
      beforeWrite: [
        planTimes,
        async (context) => {
          const { call, db, draft, row, mode } = context
          if (row && row.user_id !== callerOf(call).id) return switchedOff(context)
          if (mode === 'patch' && Object.keys(draft).every((name) => TIMES.has(name)) && !draft.is_periodic) return
          if (!row) await checkAmount(context)
          const { runbook, values } = await scheduleCheck.value(context, {
            hosts: draft.hosts ?? (row ? await hostsOf(db, row.id) : []),
            run_as: String(draft.run_as ?? row?.run_as),
            values: (draft.values ?? row?.values ?? {}) as Record<string, string>,
          })
          Object.assign(draft, {
            org_id: runbook.org_id,
            user_id: callerOf(call).id,
            version: runbook.version,
            values,
            remote_addr: call.remoteAddress,
            language: call.language,
            error: '',
          })
        },
      ],
      afterDelete: [notifyOfDeletion],
    },
  })
  scheduleRows(kernel.jobs, kernel.db, opsRunbookSchedule, RUN_SCHEDULED, 'Run runbooks at their times')
}

/** Its own rows for each caller; those who administer the organization see all that it has. */
function seenBy({ call }: Pick<ReadContext, 'call'>): SQL | undefined {
  const { user_id, org_id } = opsRunbookSchedule
  const own = eq(user_id, callerOf(call).id)
  if (!isOrgAdmin(call)) return own
  return isRoot(call) ? undefined : or(own, eq(org_id, call.org.id))
}

/** What runs with somebody's rights they say themselves: others only keep it from running. */
function switchedOff({ kernel, call, draft, row, mode, afterCommit }: ScheduleContext): void {
  // The fields that `planTimes` recomputes are no request of the client.
  const isOff = mode === 'patch' && draft.is_periodic === false && Object.keys(draft).every((name) => OFF.has(name))
  const isAsWas = draft.crontab === undefined || draft.crontab === row?.crontab
  if (!row || !isOff || !isAsWas)
    throw forbidden('Its author alone changes what runs, and when: switch it off, or delete it')
  afterCommit(() => tellAuthor(kernel, call, row, 'Your schedule of the runbook {{name}} was switched off'))
}

const OFF = new Set(['is_periodic', 'date_next_run', 'crontab'])

async function notifyOfDeletion({ kernel, call, rows, afterCommit }: DeleteContext<typeof opsRunbookSchedule>) {
  const others = rows.filter(({ user_id }) => user_id !== callerOf(call).id)
  afterCommit(async () => {
    for (const row of others) await tellAuthor(kernel, call, row, 'Your schedule of the runbook {{name}} was deleted')
  })
}

async function tellAuthor(
  kernel: Kernel,
  call: ReadContext['call'],
  { user_id, runbook: id }: StoredRow<typeof opsRunbookSchedule>,
  subject: string,
): Promise<void> {
  const name = (await runbookOf(kernel.db, id))?.name ?? ''
  await notify(kernel, [user_id], (say) => ({
    subject: say(subject, { name }),
    paragraphs: [say('By {{user}}.', { user: spoken(displayName(callerOf(call))) })],
  }))
}

async function authors(rows: readonly StoredRow<typeof opsRunbookSchedule>[], { db, call }: ReadContext) {
  const { id, name, username } = usersAccount
  const ids = [...new Set(rows.map(({ user_id }) => user_id))]
  const found = ids.length ? await db.select({ id, name, username }).from(usersAccount).where(inArray(id, ids)) : []
  const people = new Map(found.map((one) => [one.id, displayName(one)]))
  return rows.map(({ user_id }) => ({ author: people.get(user_id) ?? '', is_own: user_id === call.user?.id }))
}

/** Each may begin a run every minute. */
async function checkAmount({ call, db }: ScheduleContext): Promise<void> {
  const amount = await db.$count(opsRunbookSchedule, eq(opsRunbookSchedule.user_id, callerOf(call).id))
  if (amount >= SCHEDULES_MAX)
    throw invalid({
      runbook: translate(call.language, 'You have {{max}} schedules: delete one first', { max: SCHEDULES_MAX }),
    })
}

const SCHEDULES_MAX = 100

const TIMES = new Set(['is_periodic', 'date_next_run', 'crontab', 'interval'])

/** One round of looking for schedules whose time has come, as if it were `now`. */
export const sendDueRunbooks = ({ jobs, db }: Kernel, now: Date): Promise<void> =>
  sendDueRows(jobs, db, opsRunbookSchedule, RUN_SCHEDULED, now)

/** Times that can be kept, and are planned again where they change. */
const planTimes = ({ draft, row }: ScheduleContext): void => planRowTimes(draft, row, true)

async function outdated(rows: readonly StoredRow<typeof opsRunbookSchedule>[], { db }: ReadContext) {
  const ids = [...new Set(rows.map(({ runbook }) => runbook))]
  const { id, version } = opsRunbook
  const found = ids.length ? await db.select({ id, version }).from(opsRunbook).where(inArray(id, ids)) : []
  const versions = new Map(found.map((one) => [one.id, one.version]))
  return rows.map((row) => ({ is_outdated: versions.get(row.runbook) !== row.version }))
}

async function hostsOf(db: Database, schedule: string): Promise<string[]> {
  const { asset, schedule: of } = opsRunbookScheduleHost
  return (await db.select({ asset }).from(opsRunbookScheduleHost).where(eq(of, schedule))).map((row) => row.asset)
}

/** The runbook of that id, in any organization; the caller checks it. */
export async function runbookOf(db: Database, id: string): Promise<WantedSchedule['runbook'] | undefined> {
  const [found] = isUuid(id) ? await db.select().from(opsRunbook).where(eq(opsRunbook.id, id)) : []
  return found
}

/** A schedule whose time has come. */
export interface DueSchedule extends WantedSchedule {
  schedule: typeof opsRunbookSchedule.$inferSelect
  /** The last run has not ended. */
  isRunning: boolean
}

/** The schedule of a job; undefined where it is gone, switched off, or was begun by this job already. */
export async function dueSchedule(db: Database, id: string, job: string): Promise<DueSchedule | undefined> {
  const [found] = await db
    .select({ schedule: opsRunbookSchedule, runbook: opsRunbook, isFinished: opsCommandExecution.is_finished })
    .from(opsRunbookSchedule)
    .innerJoin(opsRunbook, eq(opsRunbook.id, opsRunbookSchedule.runbook))
    .leftJoin(opsCommandExecution, eq(opsCommandExecution.id, opsRunbookSchedule.last_execution))
    .where(and(eq(opsRunbookSchedule.id, id), eq(opsRunbookSchedule.is_periodic, true), notBegunBy(job)))
  if (!found) return undefined
  const { schedule, runbook, isFinished } = found
  const { run_as, values } = schedule
  return { schedule, runbook, run_as, values, hosts: await hostsOf(db, id), isRunning: isFinished === false }
}

const notBegunBy = (job: string) => or(isNull(opsRunbookSchedule.last_job), ne(opsRunbookSchedule.last_job, job))

/**
 * Notes the run that a job begins, within its transaction.
 * @throws where another job, or this one before, has begun a run since the schedule was read
 */
export async function noteScheduledRun(
  db: Database,
  { id, last_job }: DueSchedule['schedule'],
  begun: { job: string; execution: string },
): Promise<void> {
  const { id: schedule, last_job: last } = opsRunbookSchedule
  const noted = await db
    .update(opsRunbookSchedule)
    .set({ last_job: begun.job, last_execution: begun.execution, date_last_run: sql`now()`, error: '' })
    .where(and(eq(schedule, id), sql`${last} IS NOT DISTINCT FROM ${last_job}::uuid`))
    .returning({ id: schedule })
  if (!noted.length) throw new Error('a job has begun the run before')
}

/** Notes why nothing was begun, in words of its author; of a run that goes on, it keeps which that is. */
export async function noteUnrun(db: Database, { schedule, isRunning }: DueSchedule, error: string): Promise<void> {
  const none = isRunning ? {} : { date_last_run: sql`now()`, last_execution: null }
  await db
    .update(opsRunbookSchedule)
    .set({ ...none, error })
    .where(eq(opsRunbookSchedule.id, schedule.id))
}
