import { eq } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { terminalCommandStorage } from '../tables.ts'

/** A storage of commands; undefined when there is none of that id. */
export async function findCommandStorage(
  db: Database,
  id: string,
): Promise<typeof terminalCommandStorage.$inferSelect | undefined> {
  if (!isUuid(id)) return undefined
  const [row] = await db.select().from(terminalCommandStorage).where(eq(terminalCommandStorage.id, id))
  return row
}
