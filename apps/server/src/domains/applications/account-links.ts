import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'

/**
 * Makes the missing accounts of applications. `pairs` is a query of ids: an application, and a
 * system user.
 */
export async function makeApplicationAccounts(db: Database, pairs: SQL): Promise<void> {
  await db.execute(sql`
    INSERT INTO applications_account (app, systemuser)
    SELECT pair.app, pair.systemuser FROM (${pairs}) AS pair (app, systemuser)
    WHERE NOT EXISTS (SELECT 1 FROM applications_account a WHERE a.app = pair.app AND a.systemuser = pair.systemuser)
    ON CONFLICT DO NOTHING`)
}
