import { eq, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { isUuid, NOTHING } from '../../../kernel/resource/conditions.ts'
import { accountsChangeExecution, accountsChangeTask } from '../tables.ts'

const byId =
  (column: PgColumn) =>
  (value: string): SQL =>
    isUuid(value) ? eq(column, value) : NOTHING

/** Filters of the runs of plans, whatever they change. */
export const executionFilters = { plan_id: byId(accountsChangeExecution.plan) }

/** Filters of what became of each account. */
export const taskFilters = {
  plan_execution_id: byId(accountsChangeTask.execution),
  account_id: byId(accountsChangeTask.account),
}
