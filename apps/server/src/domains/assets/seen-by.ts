import { and, eq } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { type Call, callerOf, isOrgAdmin } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { inOrganization } from '../../kernel/resource/in-organization.ts'
import { assetsAsset, assetsSystemUser } from './tables.ts'

/** Whether permissions let somebody see a row. */
type SeenBy = (db: Database, userId: string, id: string) => Promise<boolean>

interface Granted {
  asset: SeenBy
  systemUser: SeenBy
}

const nobody: SeenBy = async () => false
let granted: Granted = { asset: nobody, systemUser: nobody }

/** Permissions are of a later domain, which hands down how they are asked. */
export function readGrantsBy(by: Granted): void {
  granted = by
}

/**
 * Whether there is such an asset for the caller: it was granted to them, in whatever organisation,
 * or they administer it. Of any other they must not learn that it exists.
 */
export const seesAsset = (db: Database, call: Call, id: string): Promise<boolean> =>
  sees(db, call, { table: assetsAsset, isGranted: granted.asset, id })

/** The same of a system user. */
export const seesSystemUser = (db: Database, call: Call, id: string): Promise<boolean> =>
  sees(db, call, { table: assetsSystemUser, isGranted: granted.systemUser, id })

interface Wanted {
  table: PgTable & { id: PgColumn; org_id: PgColumn }
  isGranted: SeenBy
  id: string
}

async function sees(db: Database, call: Call, { table, isGranted, id }: Wanted): Promise<boolean> {
  if (!isUuid(id)) return false
  if (isOrgAdmin(call)) {
    const found = await db.$count(table, and(eq(table.id, id), inOrganization(call, table.org_id)))
    if (found) return true
  }
  return isGranted(db, callerOf(call).id, id)
}
