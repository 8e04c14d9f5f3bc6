import type { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { and, eq, getTableColumns, ilike, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { isRoot } from '../../kernel/access/call.ts'
import { escapeLike, NOTHING, readableBoolean, readableId, readBoolean } from '../../kernel/resource/conditions.ts'
import { inOrganization } from '../../kernel/resource/in-organization.ts'
import type { Mount, ReadContext } from '../../kernel/resource/mount.ts'
import { list } from '../../kernel/resource/query.ts'
import { assetAccounts } from './asset-accounts.ts'
import { PRESENT_DESTINATIONS } from './destination.ts'
import { findNode, type Node, subtreeIds } from './nodes/tree.ts'
import { assetsAsset, assetsAssetNode, assetsLabel, assetsLabelAsset, assetsPlatform } from './tables.ts'

/**
 * Filters of the asset list that are more than comparisons (docs/rules/assets.md#asset).
 */
export const assetFilters: Mount<typeof asset>['filters'] = {
  ...nodeFilters(assetsAsset.id),
  label: withLabels,
  is_confirmed: whetherConfirmed,
  ips: (value) => inArray(assetsAsset.ip, list(value)),
  protocols: (value) => eq(sql`array_to_string(${assetsAsset.protocols}, ' ')`, value),
  protocols__icontains: (value) => ilike(sql`array_to_string(${assetsAsset.protocols}, ' ')`, `%${escapeLike(value)}%`),
  platform__base: (value) =>
    sql`${assetsAsset.platform} IN (SELECT name FROM ${assetsPlatform} WHERE ${assetsPlatform.base} = ${value})`,
  system_users__id: (value) => assetAccounts.value.isLinked(assetsAsset.id, readableId('system_users__id', value)),
}

/** Whether everywhere that an asset's secrets would be sent is confirmed (destination.ts). */
function whetherConfirmed(value: string, _context: ReadContext, name: string): SQL {
  const wanted = readableBoolean(name, value)
  return sql`(${assetsAsset.confirmed_destinations} @> ${PRESENT_DESTINATIONS}) = ${wanted}`
}

/** Filters `node` and `node_id` of rows by their asset. */
export function nodeFilters(
  asset: PgColumn,
): Record<'node' | 'node_id', (value: string, context: ReadContext) => Promise<SQL | undefined> | undefined> {
  return {
    node: (value, context) => inNode(asset, value, context),
    node_id: (value, context) => (context.query.node ? undefined : inNode(asset, value, context)),
  }
}

/** Assets in the node's subtree, or directly in it; none of a node that is not there. */
async function inNode(asset: PgColumn, value: string, { db, call, query }: ReadContext): Promise<SQL | undefined> {
  const node = await findNode(db, value, isRoot(call) ? undefined : call.org.id)
  if (!node) return NOTHING
  const whole =
    query.show_current_asset !== undefined
      ? readBoolean(query.show_current_asset) !== true
      : readBoolean(query.all) !== false
  if (whole) return belowNode(asset, node, { db, call })
  return inNodes(asset, [node.id])
}

/**
 * Rows whose asset is in the node's subtree; undefined, which restricts nothing, for the root of
 * the caller's organization.
 */
export async function belowNode(
  asset: PgColumn,
  node: Node,
  { db, call }: Pick<ReadContext, 'db' | 'call'>,
): Promise<SQL | undefined> {
  // Every asset is below its organization's root, so the root's subtree is the organization's own
  // list, which has a counter and an index.
  if (!node.parent_key)
    return isRoot(call) ? eq(getTableColumns(asset.table).org_id as PgColumn, node.org_id) : undefined
  return inNodes(asset, await subtreeIds(db, node))
}

const inNodes = (asset: PgColumn, nodes: readonly string[]) =>
  sql`${asset} IN (SELECT ${assetsAssetNode.asset_id} FROM ${assetsAssetNode} WHERE ${assetsAssetNode.node_id} = ANY(${sql.param([...nodes])}::uuid[]))`

/** `name:value` or `name#value`, repeatable: an asset must have all of them. */
async function withLabels(last: string, { db, call, repeated }: ReadContext): Promise<SQL | undefined> {
  const wanted = (repeated?.label ?? [last]).map((text) => /^([^:#]+)[:#](.+)$/s.exec(text)?.slice(1))
  if (wanted.some((pair) => !pair)) return NOTHING
  const pairs = wanted as [string, string][]
  const labels = await db
    .select({ id: assetsLabel.id, name: assetsLabel.name, value: assetsLabel.value })
    .from(assetsLabel)
    .where(
      and(
        eq(assetsLabel.is_active, true),
        inOrganization(call, assetsLabel.org_id),
        or(...pairs.map(([name, value]) => and(eq(assetsLabel.name, name), eq(assetsLabel.value, value)))),
      ),
    )
  return and(
    ...pairs.map(([name, value]) => {
      const ids = labels.filter((label) => label.name === name && label.value === value).map((label) => label.id)
      if (!ids.length) return NOTHING
      return sql`EXISTS (SELECT 1 FROM ${assetsLabelAsset} WHERE ${assetsLabelAsset.asset_id} = ${assetsAsset.id} AND ${assetsLabelAsset.label_id} = ANY(${sql.param(ids)}::uuid[]))`
    }),
  )
}
