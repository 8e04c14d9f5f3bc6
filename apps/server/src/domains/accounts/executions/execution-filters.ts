import { eq, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { readableId } from '../../../kernel/resource/conditions.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { accountsChangeExecution, accountsChangeTask } from '../tables.ts'

const byId =
  (column: PgColumn) =>
  (value: string, _context: ReadContext, name: string): SQL =>
    eq(column, readableId(name, value))

/** Filters of the runs of plans, whatever they change. */
export const executionFilters = { plan_id: byId(accountsChangeExecution.plan) }

/** Filters of what became of each account. */
export const taskFilters = {
  plan_execution_id: byId(accountsChangeTask.execution),
  account_id: byId(accountsChangeTask.account),
}
