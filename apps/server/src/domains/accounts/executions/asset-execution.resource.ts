import { changeAuthPlanExecution } from '@sallyport/contract/resources/accounts/change-auth-plan-execution.ts'
import { changeAuthPlanSubtask } from '@sallyport/contract/resources/accounts/change-auth-plan-subtask.ts'
import { eq, sql } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { accountsChangeExecution, accountsChangeTask } from '../tables.ts'
import { registerExecutionCalls } from './execution-calls.ts'
import { executionFilters, taskFilters } from './execution-filters.ts'
import { executionInWords, executionResults, fromSnapshot, type Task, taskInWords } from './execution-words.ts'

/** Runs of plans for assets, and the accounts in them. */
export default function mountAssetExecutions(kernel: Kernel): void {
  mountResource(kernel, changeAuthPlanExecution, {
    table: accountsChangeExecution,
    scope: () => eq(accountsChangeExecution.family, 'asset'),
    filters: executionFilters,
    search: (pattern) => sql`${accountsChangeExecution.plan_snapshot} ->> 'username' ILIKE ${pattern}`,
    computed: [executionResults, executionInWords, fromSnapshot('assets_amount', 'nodes_amount')],
  })
  const tasks = mountResource(kernel, changeAuthPlanSubtask, {
    table: accountsChangeTask,
    scope: () => eq(accountsChangeTask.family, 'asset'),
    filters: taskFilters,
    computed: [{ fields: ['asset_info'], load: assetsOf }, taskInWords],
  })
  registerExecutionCalls(kernel, { family: 'asset', path: changeAuthPlanExecution.path, tasks })
}

async function assetsOf(rows: readonly Task[], { db }: ReadContext) {
  const { rows: found } = await db.execute<{ id: string; hostname: string; ip: string }>(sql`
    SELECT id, hostname, ip FROM assets_listed_asset
    WHERE id = ANY(${sql.param(rows.flatMap(({ asset }) => asset ?? []))}::uuid[])`)
  const byId = new Map(found.map((one) => [one.id, one]))
  return rows.map(({ asset }) => ({ asset_info: byId.get(asset ?? '') ?? {} }))
}
