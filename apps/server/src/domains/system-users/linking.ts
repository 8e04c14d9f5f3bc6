import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { assetsAssetInNode, assetsListedAsset, assetsListedNode, lockPlacements } from '../assets/index.ts'

/**
 * Links assets to the system users bound to their nodes or to nodes above
 * (docs/rules/assets.md#asset_created): makes the missing accounts, also those of the system users
 * that these switch from. One statement for any number of assets.
 */
export async function linkBoundSystemUsers(db: Database, assetIds: readonly string[]): Promise<void> {
  if (!assetIds.length) return
  await db.execute(sql`
    WITH wanted AS (
      SELECT DISTINCT an.asset_id AS asset, bound.systemuser
      FROM assets_system_user_node bound
      JOIN ${assetsListedNode} b ON b.id = bound.node
      JOIN ${assetsListedNode} n ON n.path <@ b.path
      JOIN ${assetsAssetInNode} an ON an.node_id = n.id
      WHERE an.asset_id = ANY(${sql.param([...assetIds])}::uuid[])
    )
    INSERT INTO assets_account (asset, systemuser)
    SELECT asset, systemuser FROM wanted
    UNION SELECT w.asset, s.su_from FROM wanted w JOIN assets_system_user s ON s.id = w.systemuser WHERE s.su_enabled AND s.su_from IS NOT NULL
    ON CONFLICT DO NOTHING`)
}

/** The same for one system user and all assets below the nodes that it is bound to. */
export async function linkAssetsBelowNodes(db: Database, systemUserId: string): Promise<void> {
  // An import that is running has already checked whether anything is bound, and its rows are not
  // visible yet: wait for it, and have later ones wait for us.
  await lockPlacements(db)
  await db.execute(sql`
    INSERT INTO assets_account (asset, systemuser)
    SELECT DISTINCT an.asset_id, bound.systemuser
    FROM assets_system_user_node bound
    JOIN ${assetsListedNode} b ON b.id = bound.node
    JOIN ${assetsListedNode} n ON n.path <@ b.path
    JOIN ${assetsAssetInNode} an ON an.node_id = n.id
    WHERE bound.systemuser = ${systemUserId}
    ON CONFLICT DO NOTHING`)
  await linkSwitchSource(db, systemUserId)
}

/** Assets linked to a system user that switches from another one are linked to that one as well. */
export async function linkSwitchSource(db: Database, systemUserId: string): Promise<void> {
  await db.execute(sql`
    INSERT INTO assets_account (asset, systemuser)
    SELECT a.asset, s.su_from FROM assets_system_user s JOIN assets_account a ON a.systemuser = s.id
    WHERE s.id = ${systemUserId} AND s.su_enabled AND s.su_from IS NOT NULL
    ON CONFLICT DO NOTHING`)
}

/**
 * Makes the missing accounts between assets and system users; pairs from different organizations
 * are ignored.
 */
export async function linkSystemUsers(
  db: Database,
  assetIds: readonly string[],
  systemUserIds: readonly string[],
): Promise<void> {
  if (!assetIds.length || !systemUserIds.length) return
  await db.execute(sql`
    INSERT INTO assets_account (asset, systemuser)
    SELECT a.id, s.id FROM ${assetsListedAsset} a JOIN assets_system_user s ON s.org_id = a.org_id
    WHERE a.id = ANY(${sql.param([...assetIds])}::uuid[]) AND s.id = ANY(${sql.param([...systemUserIds])}::uuid[])
    ON CONFLICT DO NOTHING`)
}

/** Queries of pairs: the id of a system user, and of what it is to be bound to. */
export interface BoundPairs {
  nodes: SQL
  assets: SQL
  users: SQL
  groups: SQL
}

/**
 * Binds system users to nodes and makes their missing accounts on assets; those that take the
 * user's own name are bound to people and groups too. Never unbinds anything. Set-based, for any
 * size.
 */
export async function bindSystemUsers(db: Database, { nodes, assets, users, groups }: BoundPairs): Promise<void> {
  await db.execute(
    sql`INSERT INTO assets_system_user_node (systemuser, node) SELECT * FROM (${nodes}) pair ON CONFLICT DO NOTHING`,
  )
  await db.execute(sql`
    INSERT INTO assets_account (asset, systemuser)
    SELECT pair.asset, pair.systemuser FROM (${assets}) AS pair (systemuser, asset)
    WHERE NOT EXISTS (SELECT 1 FROM assets_account a WHERE a.asset = pair.asset AND a.systemuser = pair.systemuser AND a.username = '')
    ON CONFLICT DO NOTHING`)
  const ofDynamic = (pairs: SQL) => sql`
    SELECT s.id, pair.who FROM (${pairs}) AS pair (systemuser, who) JOIN assets_system_user s ON s.id = pair.systemuser AND s.username_same_with_user`
  await db.execute(
    sql`INSERT INTO assets_system_user_user (systemuser, "user") ${ofDynamic(users)} ON CONFLICT DO NOTHING`,
  )
  await db.execute(
    sql`INSERT INTO assets_system_user_group (systemuser, "group") ${ofDynamic(groups)} ON CONFLICT DO NOTHING`,
  )
}

/** Has a system user that was saved pushed to all its assets (docs/rules/assets.md#system_user). */
export async function pushSaved({
  db,
  row,
  stored,
}: {
  db: Database
  row: object | undefined
  stored: { id: string }
}): Promise<void> {
  if (row)
    await db.execute(sql`UPDATE assets_account SET push_due = true
      WHERE systemuser = ${stored.id} AND NOT push_due AND assets_is_pushed(${stored.id})`)
}

/** Has all system users of an asset pushed that has got its admin user: before, there was nobody to log in as. */
export async function pushToAsset(db: Database, assetId: string): Promise<void> {
  await db.execute(sql`UPDATE assets_account SET push_due = true
    WHERE asset = ${assetId} AND systemuser IS NOT NULL AND username = '' AND NOT push_due AND assets_is_pushed(systemuser)`)
}
