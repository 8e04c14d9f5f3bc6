import { ACTION_BITS, type ActionName, actionNames } from '@sallyport/contract/actions.ts'
import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { permissionsOf } from './grants.ts'

export interface ConnectQuestion {
  userId: string
  assetId: string
  systemUserId: string
  /** Only permissions of this organisation; undefined: any. */
  orgId?: string
}

export interface ConnectAnswer {
  /** May open a session: some valid permission grants the action `connect`, and asset, protocol and person are fit for it. */
  allowed: boolean
  /** Bits of all matching permissions together; 0 when none matches. */
  mask: number
  actions: ActionName[]
  /** Unix seconds: the latest end of the matching permissions, or now. */
  expireAt: number
}

/** Permissions that reach an asset: they name it, or a node that it lies under. `p` holds candidates. */
const reachesAsset = (assetId: string) => sql`(
  EXISTS (SELECT 1 FROM perms_asset_permission_asset pa WHERE pa.assetpermission = p.id AND pa.asset = ${assetId}::uuid)
  OR EXISTS (
    SELECT 1 FROM perms_asset_permission_node pn JOIN above ON above.id = pn.node WHERE pn.assetpermission = p.id
  ))`

/** The nodes that an asset lies in or under. */
export const nodesAbove = (assetId: string) => sql`
  SELECT DISTINCT up.id FROM assets_asset_node an JOIN assets_node n ON n.id = an.node_id JOIN assets_node up ON up.path @> n.path
  WHERE an.asset_id = ${assetId}::uuid`

/**
 * May this person use this system user on this asset now (contract/perms.yaml user/validate)? The asset must be active, the system user's protocol one of
 * the asset's, the person active and not expired. Ask again while a session lives: everything may change meanwhile.
 */
export async function mayConnect(db: Database, { userId, assetId, systemUserId, orgId }: ConnectQuestion): Promise<ConnectAnswer> {
  if (![userId, assetId, systemUserId].every(isUuid)) return refusal(0)
  const { rows } = await db.execute<{ mask: number | null; expire_at: string | null; fit: boolean | null }>(sql`
    WITH above AS MATERIALIZED (${nodesAbove(assetId)}),
    p AS MATERIALIZED (${permissionsOf({ subject: { userId }, orgId, systemUserId })})
    SELECT bit_or(p.actions) AS mask, floor(extract(epoch FROM max(p.date_expired)))::bigint::text AS expire_at,
      (SELECT a.is_active AND s.org_id = a.org_id AND s.protocol IN (SELECT split_part(one, '/', 1) FROM unnest(a.protocols) one)
        AND u.is_active AND (u.date_expired IS NULL OR u.date_expired > now())
       FROM assets_asset a, assets_system_user s, users_user u
       WHERE a.id = ${assetId}::uuid AND s.id = ${systemUserId}::uuid AND u.id = ${userId}::uuid) AS fit
    FROM p WHERE ${reachesAsset(assetId)}`)
  const { mask, expire_at, fit } = rows[0] ?? { mask: null, expire_at: null, fit: null }
  if (mask === null || !fit) return refusal(0)
  if (!(mask & ACTION_BITS.connect)) return refusal(mask)
  return { allowed: true, mask, actions: actionNames(mask), expireAt: Number(expire_at) }
}

function refusal(mask: number): ConnectAnswer {
  return { allowed: false, mask, actions: actionNames(mask), expireAt: Math.floor(Date.now() / 1000) }
}

export interface UsableSystemUser extends Record<string, unknown> {
  id: string
  name: string
  username: string
  priority: number
  protocol: string
  login_mode: string
  sftp_root: string
  username_same_with_user: boolean
  su_enabled: boolean
  su_from: string | null
  mask: number
}

/**
 * System users that a subject may use on an active asset, by name, with the actions of all matching permissions together.
 * Undefined when the asset is not active, or no valid permission reaches it: the two look alike to who asks.
 */
export async function usableSystemUsers(
  db: Database,
  question: Parameters<typeof permissionsOf>[0],
  assetId: string,
): Promise<UsableSystemUser[] | undefined> {
  const { rows } = await db.execute<UsableSystemUser & { reached: boolean }>(sql`
    WITH above AS MATERIALIZED (${nodesAbove(assetId)}),
    candidate AS MATERIALIZED (${permissionsOf(question)}),
    matching AS MATERIALIZED (
      SELECT p.* FROM candidate p WHERE ${reachesAsset(assetId)} AND EXISTS (SELECT 1 FROM assets_asset a WHERE a.id = ${assetId}::uuid AND a.is_active)
    )
    SELECT s.id, s.name, s.username, s.priority, s.protocol, s.login_mode, s.sftp_root, s.username_same_with_user, s.su_enabled, s.su_from, used.mask
    FROM (
      SELECT ps.systemuser, bit_or(m.actions) AS mask
      FROM matching m JOIN perms_asset_permission_system_user ps ON ps.assetpermission = m.id GROUP BY ps.systemuser
    ) used
    JOIN assets_system_user s ON s.id = used.systemuser
    JOIN assets_asset a ON a.id = ${assetId}::uuid
    WHERE s.protocol IN (SELECT split_part(one, '/', 1) FROM unnest(a.protocols) one)
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM (SELECT 1 FROM matching LIMIT 1) any_match
    ORDER BY name, id`)
  // The row without an id only says that some permission reaches the asset.
  if (!rows.length) return undefined
  return rows.filter((row) => row.id !== null)
}
