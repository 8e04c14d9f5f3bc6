import { SAVED_STATEMENTS_MAX, savedStatement } from '@sallyport/contract/resources/applications/saved-statement.ts'
import { eq } from 'drizzle-orm'
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { callerOf } from '../../kernel/access/call.ts'
import { dateUpdated, id } from '../../kernel/database/columns.ts'
import { lockUntilCommit } from '../../kernel/database/locks.ts'
import { refused } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { WriteContext } from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'

export const applicationsSavedStatement = pgTable('applications_saved_statement', {
  id: id(),
  user_id: uuid('user_id').notNull(),
  application: uuid('application').notNull(),
  name: text('name').notNull(),
  statement: text('statement').notNull(),
  date_updated: dateUpdated(),
})

export default function mountSavedStatement(kernel: Kernel): void {
  mountResource(kernel, savedStatement, {
    table: applicationsSavedStatement,
    owner: applicationsSavedStatement.user_id,
    rules: { beforeWrite: [notTooMany] },
    // Auditors would read there what nobody else is to read; what is run is recorded as what is typed.
    unaudited: true,
  })
}

/** Those of two requests at once count as well. */
async function notTooMany({
  call,
  db,
  row,
}: WriteContext<typeof savedStatement, typeof applicationsSavedStatement>): Promise<void> {
  if (row) return
  const { id: user } = callerOf(call)
  await lockUntilCommit(db, `applications.saved_statements.${user}`)
  const kept = await db.$count(applicationsSavedStatement, eq(applicationsSavedStatement.user_id, user))
  if (kept >= SAVED_STATEMENTS_MAX)
    throw refused('bad_request', 'You have saved as many statements as you may: delete one first.')
}
