import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'

/**
 * Binds a permission's system users to its nodes and assets, so that their accounts exist; dynamic ones to its users and groups too.
 * Taking something out of a permission never unbinds (contract/perms.yaml asset_permission rules). Set-based, whatever the sizes.
 */
export async function bindSystemUsers(db: Database, permissionId: string): Promise<void> {
  await db.execute(sql`
    INSERT INTO assets_system_user_node (systemuser, node)
    SELECT ps.systemuser, pn.node FROM perms_asset_permission_system_user ps JOIN perms_asset_permission_node pn USING (assetpermission)
    WHERE ps.assetpermission = ${permissionId}::uuid ON CONFLICT DO NOTHING`)
  await db.execute(sql`
    INSERT INTO assets_account (asset, systemuser)
    SELECT reached.asset, ps.systemuser
    FROM (
      SELECT pa.asset FROM perms_asset_permission_asset pa WHERE pa.assetpermission = ${permissionId}::uuid
      UNION
      SELECT an.asset_id FROM perms_asset_permission_node pn JOIN assets_node n ON n.id = pn.node JOIN assets_node below ON below.path <@ n.path
        JOIN assets_asset_node an ON an.node_id = below.id
      WHERE pn.assetpermission = ${permissionId}::uuid
    ) reached
    CROSS JOIN perms_asset_permission_system_user ps
    WHERE ps.assetpermission = ${permissionId}::uuid
      AND NOT EXISTS (SELECT 1 FROM assets_account a WHERE a.asset = reached.asset AND a.systemuser = ps.systemuser AND a.username = '')
    ON CONFLICT DO NOTHING`)
  const dynamic = sql`perms_asset_permission_system_user ps JOIN assets_system_user s ON s.id = ps.systemuser AND s.username_same_with_user`
  await db.execute(sql`
    INSERT INTO assets_system_user_user (systemuser, "user")
    SELECT s.id, pu."user" FROM ${dynamic} JOIN perms_asset_permission_user pu USING (assetpermission)
    WHERE ps.assetpermission = ${permissionId}::uuid ON CONFLICT DO NOTHING`)
  await db.execute(sql`
    INSERT INTO assets_system_user_group (systemuser, "group")
    SELECT s.id, pg.usergroup FROM ${dynamic} JOIN perms_asset_permission_user_group pg USING (assetpermission)
    WHERE ps.assetpermission = ${permissionId}::uuid ON CONFLICT DO NOTHING`)
}
