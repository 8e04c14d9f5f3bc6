import { adhocExecution } from '@sallyport/contract/resources/ops/adhoc-execution.ts'
import { and, eq, inArray } from 'drizzle-orm'
import type { Call } from '../../../kernel/access/call.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { refused } from '../../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { getStored } from '../../../kernel/resource/read.ts'
import { contextOf, mountResource } from '../../../kernel/resource/routes.ts'
import { opsAdhoc, opsAdhocExecution, opsAdhocExecutionHost, opsTask } from '../tables.ts'
import { printed, type RunResults, resultsOfRuns } from './run-results.ts'
import { startVersion, titleOf } from './start-run.ts'

type StoredRun = typeof opsAdhocExecution.$inferSelect

/** Runs of tasks: records, which nobody writes. */
export default function mountExecutions(kernel: Kernel): void {
  const executions = mountResource(kernel, adhocExecution, {
    table: opsAdhocExecution,
    computed: [
      {
        fields: [
          'stat',
          'last_success',
          'last_failure',
          'summary',
          'result',
          'timedelta',
          'short_id',
          'adhoc_short_id',
          // Kept as it was, not as the task is called now.
          'task_display',
        ],
        async load(rows, { db, call }) {
          const ids = rows.map(({ id }) => id)
          const results = await resultsOfRuns(db, ids, call.language)
          return rows.map((row) => ({ ...wordsOfRun(row, call.language, results.get(row.id)), result: null }))
        },
      },
    ],
  })
  kernel.app.route<{ Params: { id: string } }>({
    method: 'POST',
    url: `${adhocExecution.path}:id/retry/`,
    config: {
      access: ['org_admin'],
      summary: 'Task run: once more where it failed',
      answers: { fields: plainFields({ task: 'uuid' }) },
      answerStatus: 201,
    },
    handler: async (request, reply) => {
      const run = await getStored(executions, request.params.id, contextOf(kernel, request))
      const task = await runWhereFailed(kernel, request.call, run as StoredRun)
      return reply.status(201).send({ task })
    },
  })
}

/** Runs the version of a run once more on the machines where it failed; answers the task's id. */
async function runWhereFailed(kernel: Kernel, call: Call, { id, adhoc, org_id, task }: StoredRun): Promise<string> {
  const { db } = kernel
  const { execution, asset, is_success } = opsAdhocExecutionHost
  const failed = await db
    .select({ asset })
    .from(opsAdhocExecutionHost)
    .where(and(eq(execution, id), eq(is_success, false)))
  const [known] = await db
    .select({ name: opsTask.name })
    .from(opsTask)
    .innerJoin(opsAdhoc, eq(opsAdhoc.task, opsTask.id))
    .where(and(eq(opsTask.id, task ?? NO_ROW), eq(opsAdhoc.id, adhoc ?? NO_ROW)))
  if (!known || !adhoc) throw refused('bad_request', 'The task or its version is gone')
  if (!failed.length) throw refused('bad_request', 'It failed nowhere')
  const hosts = failed.map((host) => host.asset)
  return startVersion(kernel, call, { adhoc, orgId: org_id, title: titleOf(known.name).title, hosts })
}

const NO_ROW = '00000000-0000-0000-0000-000000000000'

const NOTHING: RunResults = { stat: { total: 0, success: 0, failed: 0 }, last_success: [], last_failure: {} }

/** The computed fields of a run (docs/rules/ops.md#adhoc_execution). */
function wordsOfRun(row: StoredRun, language: Language, found: RunResults = NOTHING) {
  // The name, then the organization's id.
  const [, name = '', org = ''] = /^(.*?)(@[^@]*)?$/s.exec(row.task_display) ?? []
  const { title, rest } = titleOf(name)
  const { last_success, last_failure } = found
  const contacted = Object.fromEntries(last_success.map((name) => [name, {}]))
  return {
    ...found,
    stat: { ...found.stat, total: row.hosts_amount },
    summary: printed({ contacted, dark: last_failure, success: row.is_success }),
    timedelta: secondsOf(row),
    short_id: shortId(row.id),
    adhoc_short_id: row.adhoc ? shortId(row.adhoc) : '',
    task_display: `${translate(language, title)}${rest}${org}`,
  }
}

export const shortId = (id: string): string => id.slice(id.lastIndexOf('-') + 1)

/** How long a run took, or takes so far. */
const secondsOf = ({ date_start, date_finished }: StoredRun): number =>
  Math.max(0, ((date_finished ?? new Date()).getTime() - date_start.getTime()) / 1000)

/** Runs by id as tasks and versions tell of their latest one: without summary and result. */
export async function latestRuns(
  db: Database,
  ids: readonly (string | null)[],
  { language, timeZone }: Pick<Call, 'language' | 'timeZone'>,
): Promise<ReadonlyMap<string, Record<string, unknown>>> {
  const wanted = ids.filter((id) => id !== null)
  if (!wanted.length) return new Map()
  const rows = await db.select().from(opsAdhocExecution).where(inArray(opsAdhocExecution.id, wanted))
  const results = await resultsOfRuns(db, wanted, language)
  return new Map(
    rows.map((row) => {
      const { summary, ...words } = wordsOfRun(row, language, results.get(row.id))
      const { org_id, date_start, date_finished, ...stored } = row
      const dates = {
        date_start: formatDateTime(date_start, timeZone),
        date_finished: date_finished && formatDateTime(date_finished, timeZone),
      }
      return [row.id, { ...stored, ...words, ...dates }]
    }),
  )
}
