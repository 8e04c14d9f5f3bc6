import { sql } from 'drizzle-orm'
import { targetLimits } from '../../../kernel/access/target-limits.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { assetFamily } from '../families.ts'
import { permissionsOf } from '../grants.ts'

/** A machine and a system user with which a person may connect to it over SSH. */
export interface SshAccount extends Record<string, unknown> {
  asset: string
  hostname: string
  ip: string
  system_user: string
  /** The person's own, where the system user takes that. */
  username: string
}

/** The machines of a person, those of one machine by priority, `limit` at most. */
export async function sshAccounts(db: Database, userId: string, limit: number): Promise<SshAccount[]> {
  const permissions = permissionsOf({ family: 'asset', subject: { userId }, orgId: undefined, action: 'connect' })
  const { rows } = await db.execute<SshAccount>(sql`
    WITH p AS MATERIALIZED (${permissions}),
    covered AS (
      SELECT pt.permission, pt.asset FROM perms_permission_target pt JOIN p ON p.id = pt.permission
      WHERE pt.asset IS NOT NULL
      UNION
      SELECT pn.permission, an.asset_id FROM p JOIN perms_permission_node pn ON pn.permission = p.id
      JOIN assets_listed_node n ON n.id = pn.node AND n.org_id = p.org_id
      JOIN assets_listed_node below ON below.path <@ n.path JOIN assets_asset_in_node an ON an.node_id = below.id),
    pairs AS (
      SELECT DISTINCT c.asset, ps.systemuser FROM covered c
      JOIN perms_permission_system_user ps ON ps.permission = c.permission)
    SELECT t.id AS asset, t.hostname, t.ip, s.id AS system_user,
      CASE WHEN s.username_same_with_user THEN u.username ELSE s.username END AS username
    FROM pairs JOIN ${assetFamily.targets} t ON t.id = pairs.asset
    JOIN assets_listed_system_user s ON s.id = pairs.systemuser AND s.org_id = t.org_id
    JOIN users_account u ON u.id = ${userId}::uuid AND u.is_valid
    WHERE s.protocol = 'ssh' AND ${assetFamily.isActive} AND ${assetFamily.fits}
      AND ${targetLimits.value.within('asset', sql`t.id`, sql`u.id`)}
    ORDER BY t.hostname, t.id, s.priority, s.name, s.id LIMIT ${limit}`)
  return rows
}
