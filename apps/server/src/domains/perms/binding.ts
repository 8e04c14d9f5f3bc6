import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { bindSystemUsers } from '../system-users/index.ts'

/**
 * Binds an asset permission's system users to its nodes and assets, so that their accounts exist;
 * dynamic ones to its users and groups too. Removing something from a permission never unbinds
 * (docs/rules/perms.md#asset_permission).
 */
export async function bindPermission(db: Database, permissionId: string): Promise<void> {
  const pairedWith = (pairs: ReturnType<typeof sql>, column: ReturnType<typeof sql>) => sql`
    SELECT ps.systemuser, ${column} FROM perms_permission_system_user ps JOIN ${pairs} pair USING (permission) WHERE ps.permission = ${permissionId}::uuid`
  await bindSystemUsers(db, {
    nodes: pairedWith(sql`perms_permission_node`, sql`pair.node`),
    assets: sql`
      SELECT ps.systemuser, reached.asset
      FROM (
        SELECT pt.asset FROM perms_permission_target pt WHERE pt.permission = ${permissionId}::uuid
        UNION
        SELECT an.asset_id FROM perms_permission_node pn JOIN assets_listed_node n ON n.id = pn.node
          JOIN assets_listed_node below ON below.path <@ n.path JOIN assets_asset_in_node an ON an.node_id = below.id
        WHERE pn.permission = ${permissionId}::uuid
      ) reached
      CROSS JOIN perms_permission_system_user ps
      WHERE ps.permission = ${permissionId}::uuid`,
    users: pairedWith(sql`perms_permission_user`, sql`pair."user"`),
    groups: pairedWith(sql`perms_permission_user_group`, sql`pair.usergroup`),
  })
}
