import { and, eq } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { type Call, callerOf, isOrgAdmin } from '../access/call.ts'
import type { Database } from '../database/database.ts'
import { notFound } from '../errors/app-error.ts'
import { isUuid } from './conditions.ts'
import { inOrganization } from './in-organization.ts'

/**
 * The row `id` of the caller's organization, in the root organization of any. Throws 404 where there
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

/** Whether permissions let somebody see a row. */
export type IsGranted = (db: Database, userId: string, id: string) => Promise<boolean>

interface Wanted {
  table: PgTable & { id: PgColumn; org_id: PgColumn }
  isGranted: IsGranted
  id: string
}

/**
 * Whether there is such a row for the caller: it was granted to them, in any organization, or they
 * administer it. They must not learn that any other exists.
 */
export async function seesRow(db: Database, call: Call, { table, isGranted, id }: Wanted): Promise<boolean> {
  if (!isUuid(id)) return false
  if (isOrgAdmin(call)) {
    const found = await db.$count(table, and(eq(table.id, id), inOrganization(call, table.org_id)))
    if (found) return true
  }
  return isGranted(db, callerOf(call).id, id)
}
