import { sql } from 'drizzle-orm'
import type { ArrivalRun, ArrivingRow, Outcomes } from '../../../kernel/arrivals/arrival.ts'
import { arrive } from '../../../kernel/arrivals/arrive.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { lockTree } from '../nodes/tree.ts'
import { assetsNode } from '../tables.ts'

/** Stores nodes, parents first; `settleTree` follows for their organization. */
export async function arriveNodes(run: ArrivalRun, orgId: string, rows: readonly ArrivingRow[]): Promise<Outcomes> {
  await lockTree(run.db, orgId)
  return arrive(run, { kind: 'node', table: assetsNode }, rows)
}

/** Full paths after nodes were renamed, and the counters of children. */
export async function settleTree(db: Database, orgId: string): Promise<void> {
  await db.execute(sql`
    WITH RECURSIVE tree AS (
      SELECT id, key, '/' || value AS path FROM assets_node WHERE org_id = ${orgId}::uuid AND parent_key = ''
      UNION ALL
      SELECT n.id, n.key, tree.path || '/' || n.value FROM assets_node n JOIN tree ON n.parent_key = tree.key)
    UPDATE assets_node n SET full_value = tree.path FROM tree WHERE tree.id = n.id AND n.full_value <> tree.path`)
  await db.execute(sql`
    UPDATE assets_node n SET child_mark = c.next FROM (
      SELECT parent_key, max(split_part(key, ':', -1)::integer) + 1 AS next FROM assets_node
      WHERE org_id = ${orgId}::uuid AND parent_key <> '' GROUP BY parent_key) c
    WHERE n.key = c.parent_key AND n.child_mark < c.next`)
}

/** Removes the root nodes of organizations that are to go, where nothing is left in them. */
export async function removeBareRoots(db: Database, orgIds: readonly string[]): Promise<void> {
  await db.execute(sql`
    DELETE FROM assets_node r WHERE r.org_id = ANY (${sql.param([...orgIds])}::uuid[]) AND r.parent_key = ''
      AND NOT EXISTS (SELECT 1 FROM assets_node below WHERE below.parent_key = r.key)
      AND NOT EXISTS (SELECT 1 FROM assets_asset_node a WHERE a.node_id = r.id)`)
}

/** Takes assets out of roots in which they are because they were in no other node: `adoptOrphans` puts them back. */
export async function leaveRoots(db: Database, assetIds: readonly string[]): Promise<void> {
  await db.execute(sql`
    DELETE FROM assets_asset_node an USING assets_node r
    WHERE an.asset_id = ANY (${sql.param([...assetIds])}::uuid[]) AND r.id = an.node_id AND r.parent_key = ''
      AND NOT EXISTS (SELECT 1 FROM assets_asset_node other WHERE other.asset_id = an.asset_id AND other.node_id <> r.id)`)
}
