import { eq, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { readableId } from '../../../kernel/resource/conditions.ts'
import { accountsChangeExecution, accountsChangeTask } from '../tables.ts'

const byId =
  (name: string, column: PgColumn) =>
  (value: string): SQL =>
    eq(column, readableId(name, value))

/** Filters of the runs of plans, whatever they change. */
export const executionFilters = { plan_id: byId('plan_id', accountsChangeExecution.plan) }

/** Filters of what became of each account. */
export const taskFilters = {
  plan_execution_id: byId('plan_execution_id', accountsChangeTask.execution),
  account_id: byId('account_id', accountsChangeTask.account),
}
