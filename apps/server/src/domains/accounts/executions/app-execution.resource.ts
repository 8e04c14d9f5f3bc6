import { appChangeAuthPlanExecution } from '@sallyport/contract/resources/accounts/app-change-auth-plan-execution.ts'
import { appChangeAuthPlanSubtask } from '@sallyport/contract/resources/accounts/app-change-auth-plan-subtask.ts'
import { eq, sql } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { accountsChangeExecution, accountsChangeTask } from '../tables.ts'
import { registerExecutionCalls } from './execution-calls.ts'
import { executionFilters, taskFilters } from './execution-filters.ts'
import { executionInWords, executionResults, fromSnapshot, type Task, taskInWords } from './execution-words.ts'

/** Runs of plans for applications, and the accounts in them. */
export default function mountAppExecutions(kernel: Kernel): void {
  mountResource(kernel, appChangeAuthPlanExecution, {
    table: accountsChangeExecution,
    scope: () => eq(accountsChangeExecution.family, 'application'),
    filters: executionFilters,
    computed: [
      executionResults,
      executionInWords,
      fromSnapshot('apps_display', 'system_users_display', 'apps_amount', 'system_users_amount'),
    ],
  })
  const tasks = mountResource(kernel, appChangeAuthPlanSubtask, {
    table: accountsChangeTask,
    scope: () => eq(accountsChangeTask.family, 'application'),
    filters: taskFilters,
    computed: [{ fields: ['app_display', 'system_user_display', 'type'], load: namesOf }, taskInWords],
  })
  registerExecutionCalls(kernel, { family: 'application', path: appChangeAuthPlanExecution.path, tasks })
}

async function namesOf(rows: readonly Task[], { db }: ReadContext) {
  const { rows: found } = await db.execute<{
    id: string
    app: string | null
    type: string | null
    user: string | null
  }>(
    sql`SELECT t.id, a.name AS app, a.type, s.name || '(' || s.username || ')' AS "user" FROM accounts_change_task t
      LEFT JOIN applications_listed_application a ON a.id = t.app
      LEFT JOIN assets_listed_system_user s ON s.id = t."system_user"
      WHERE t.id = ANY(${sql.param(rows.map(({ id }) => id))}::uuid[])`,
  )
  const byId = new Map(found.map((one) => [one.id, one]))
  return rows.map(({ id }) => {
    const { app, type, user } = byId.get(id) ?? {}
    return { app_display: app ?? '', type: type ?? '', system_user_display: user ?? '' }
  })
}
