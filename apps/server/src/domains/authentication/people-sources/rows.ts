/** Further directories, providers and servers as they are stored. */
import { and, asc, eq, type SQL } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '../../../kernel/database/database.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import type { FurtherTable } from './columns.ts'

/** Those that are on, in their order. */
export const rowsInOrder = <T extends FurtherTable>(db: Database, table: T): Promise<T['$inferSelect'][]> =>
  read(db, table, eq(table.is_active, true))

/** Names of the same, for the sign-in page. */
export const namesInOrder = async (db: Database, table: FurtherTable): Promise<{ id: string; name: string }[]> =>
  (await db
    .select({ id: table.id, name: table.name })
    .from(table as PgTable)
    .where(eq(table.is_active, true))
    .orderBy(asc(table.priority), asc(table.name))) as { id: string; name: string }[]

/** One by its id; undefined for one that is off or gone, and for what is no id. */
export const rowInForce = <T extends FurtherTable>(db: Database, table: T, id: string) =>
  find(db, table, id, eq(table.is_active, true))

/** The same, also of one that is off. */
export const rowById = <T extends FurtherTable>(db: Database, table: T, id: string) => find(db, table, id)

async function find<T extends FurtherTable>(
  db: Database,
  table: T,
  id: string,
  which?: SQL,
): Promise<T['$inferSelect'] | undefined> {
  if (!isUuid(id)) return undefined
  const [row] = await read(db, table, and(eq(table.id, id), which))
  return row
}

const read = async <T extends FurtherTable>(db: Database, table: T, which: SQL | undefined) =>
  (await db
    .select()
    .from(table as PgTable)
    .where(which)
    .orderBy(asc(table.priority), asc(table.name))) as T['$inferSelect'][]
