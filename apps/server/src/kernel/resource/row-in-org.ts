import { and, eq } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Call } from '../access/call.ts'
import type { Database } from '../database/database.ts'
import { notFound } from '../errors/app-error.ts'
import { isUuid } from './conditions.ts'
import { inOrganization } from './in-organization.ts'

/**
 * The row `id` of the caller's organisation, in the root organisation of any. Throws 404 where there
 * is none, whatever the text is.
 */
export async function rowInOrg<T extends PgTable & { id: PgColumn; org_id: PgColumn }>(
  db: Database,
  call: Call,
  table: T,
  id: string,
): Promise<T['$inferSelect']> {
  const inOrg = inOrganization(call, table.org_id)
  const [row] = isUuid(id)
    ? await db
        .select()
        .from(table as PgTable)
        .where(and(eq(table.id, id), inOrg))
    : []
  if (!row) throw notFound()
  return row as T['$inferSelect']
}
