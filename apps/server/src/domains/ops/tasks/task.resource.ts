import { task } from '@sallyport/contract/resources/ops/task.ts'
import { type SQL, sql } from 'drizzle-orm'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import { planRowTimes, scheduleRows, sendDueRows } from '../../../kernel/jobs/row-schedules.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { readableBoolean } from '../../../kernel/resource/conditions.ts'
import type { ReadContext, StoredRow, WriteContext } from '../../../kernel/resource/mount.ts'
import { getStored } from '../../../kernel/resource/read.ts'
import { contextOf, mountResource } from '../../../kernel/resource/routes.ts'
import { opsAdhocExecution, opsTask } from '../tables.ts'
import { latestRuns } from './executions.resource.ts'
import { latestVersion, startVersion, titleOf } from './start-run.ts'

type Stored = StoredRow<typeof opsTask>

/**
 * Tasks, which the server itself makes (docs/rules/ops.md#task), their times, and running them now.
 */
export default function mountTasks(kernel: Kernel): void {
  const tasks = mountResource(kernel, task, {
    table: opsTask,
    filters: { is_finished: byLatestRun },
    computed: [
      {
        fields: ['display_name', 'is_deleted', 'summary'],
        load: async (rows, { call }) => rows.map(inShort(call.language)),
      },
      { fields: ['latest_execution'], load: latestExecutions },
      { fields: ['contents'], load: latestContents },
    ],
    rules: { beforeWrite: [checkSchedule] },
  })
  kernel.app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: `${task.path}:id/run/`,
    config: { access: ['org_admin'], changesOnGet: 'same_site', summary: 'Run a task now' },
    handler: async (request) => {
      const stored = await getStored(tasks, request.params.id, contextOf(kernel, request))
      const version = await latestVersion(kernel.db, stored.id)
      if (!version) return { error: translate(request.call.language, 'The task has no version that could run.') }
      const { title, rest } = titleOf(stored.name)
      return {
        task: await startVersion(kernel, request.call, {
          adhoc: version.id,
          orgId: stored.org_id,
          title,
          subject: rest.slice(2),
        }),
      }
    },
  })
  scheduleRows(kernel.jobs, kernel.db, opsTask, DUE, 'Start tasks at their times')
}

/** The job of a task whose time has come, with `{ id }`. */
export const DUE = 'ops.run_due_task'

/** One round of looking for such tasks, as if it were `now`. */
export const sendDueTasks = ({ jobs, db }: Kernel, now: Date): Promise<void> => sendDueRows(jobs, db, opsTask, DUE, now)

/** A changed schedule is planned again; nothing runs by a schedule that is switched off. */
const checkSchedule = ({ draft, row }: WriteContext<typeof task, typeof opsTask>): void =>
  planRowTimes(draft, row, false)

const inShort =
  (language: Language) =>
  ({ name, runs, successes }: Stored) => {
    const { title, rest } = titleOf(name)
    return {
      display_name: `${translate(language, title)}${rest}`,
      is_deleted: false,
      summary: { total: runs, success: successes, failed: runs - successes },
    }
  }

/** Tasks whose latest run has ended, or has not; one that never ran is in neither. */
function byLatestRun(value: string): SQL {
  const { id, is_finished } = opsAdhocExecution
  return sql`EXISTS (SELECT 1 FROM ${opsAdhocExecution} WHERE ${id} = ${opsTask.latest_execution} AND ${is_finished} = ${readableBoolean('is_finished', value)})`
}

async function latestExecutions(rows: readonly Stored[], { db, call }: ReadContext) {
  const runs = await latestRuns(
    db,
    rows.map(({ latest_execution }) => latest_execution),
    call,
  )
  return rows.map(({ latest_execution }) => ({ latest_execution: runs.get(latest_execution ?? '') ?? null }))
}

/** Steps of the latest version. */
async function latestContents(rows: readonly Stored[], { db }: ReadContext) {
  const { rows: found } = await db.execute<{ task: string; tasks: unknown[] }>(sql`
    SELECT DISTINCT ON (task) task, tasks FROM ops_adhoc
    WHERE task = ANY(${sql.param(rows.map(({ id }) => id))}::uuid[]) ORDER BY task, date_created DESC, id DESC`)
  const byTask = new Map(found.map(({ task: id, tasks }) => [id, tasks]))
  return rows.map(({ id }) => ({ contents: byTask.get(id) ?? [] }))
}
