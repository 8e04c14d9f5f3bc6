import { adhoc } from '@sallyport/contract/resources/ops/adhoc.ts'
import { eq, sql } from 'drizzle-orm'
import { notFound } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import type { ReadContext, StoredRow } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { opsAdhoc, opsAdhocHost, opsTask } from '../tables.ts'
import { checkBecome, forgetBecome } from './become.ts'
import { latestRuns, shortId } from './executions.resource.ts'

/** Versions of tasks: the server alone makes them; people say how they switch the user, and may remove them. */
export default function mountVersions(kernel: Kernel): void {
  mountResource(kernel, adhoc, {
    table: opsAdhoc,
    relations: {
      hosts: { table: opsAdhocHost, owner: opsAdhocHost.adhoc, target: opsAdhocHost.asset },
    },
    filters: {
      task: async (value, { db }) => {
        const [known] = isUuid(value)
          ? await db.select({ id: opsTask.id }).from(opsTask).where(eq(opsTask.id, value))
          : []
        if (!known) throw notFound()
        return eq(opsAdhoc.task, known.id)
      },
    },
    sealed: ['become'],
    rules: { beforeWrite: [checkBecome], afterWrite: [forgetBecome] },
    computed: [{ fields: ['short_id', 'task_name', 'run_times', 'latest_execution'], load: runsOfVersions }],
  })
}

async function runsOfVersions(rows: readonly StoredRow<typeof opsAdhoc>[], { db, call }: ReadContext) {
  const { rows: found } = await db.execute<{
    id: string
    task_name: string
    run_times: number
    latest: string | null
  }>(sql`
    SELECT a.id, t.name AS task_name, coalesce(r.amount, 0)::int AS run_times, r.latest
    FROM ops_adhoc a JOIN ops_task t ON t.id = a.task
    LEFT JOIN LATERAL (SELECT count(*) AS amount, (array_agg(e.id ORDER BY e.date_start DESC))[1] AS latest
      FROM ops_adhoc_execution e WHERE e.adhoc = a.id) r ON true
    WHERE a.id = ANY(${sql.param(rows.map(({ id }) => id))}::uuid[])`)
  const byId = new Map(found.map((row) => [row.id, row]))
  const runs = await latestRuns(
    db,
    found.map(({ latest }) => latest),
    call,
  )
  return rows.map(({ id }) => {
    const { task_name = '', run_times = 0, latest = null } = byId.get(id) ?? {}
    const run = runs.get(latest ?? '')
    return {
      short_id: shortId(id),
      task_name,
      run_times,
      latest_execution: run ? { ...run, last_run: run.short_id } : null,
    }
  })
}
