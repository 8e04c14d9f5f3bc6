import { sql } from 'drizzle-orm'
import { arrivedIds } from '../../../kernel/arrivals/note-arrivals.ts'
import type { ImportContext } from '../context.ts'

/** Nodes here that a permission would cover with more assets than there. */
export interface Strangers {
  /** Whether assets are in the node or below it that are not from there, and the permission did not have it before. */
  isWider(permission: string, node: string): boolean
  /** Its path, for people. */
  pathOf(node: string): string
}

/** Reads them: nodes that were here before, roots among them, keep their own assets. */
export async function readStrangers({ run: { db, source } }: Pick<ImportContext, 'run'>): Promise<Strangers> {
  const { rows } = await db.execute<{ id: string; path: string }>(sql`
    SELECT n.id, n.full_value AS path FROM assets_listed_node n WHERE n.id IN (
      SELECT u.node_id FROM assets_asset_under_node u WHERE NOT EXISTS (
        SELECT 1 FROM kernel_arrival a WHERE a.source = ${source} AND a.kind = 'asset' AND a.id = u.asset_id::text))`)
  const paths = new Map(rows.map(({ id, path }) => [id, path]))
  const before = await arrivedIds({ db, source }, 'permission_node')
  return {
    isWider: (permission, node) => paths.has(node) && !before.has(`${permission}:${node}`),
    pathOf: (node) => paths.get(node) ?? '',
  }
}
