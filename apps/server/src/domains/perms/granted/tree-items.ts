import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { TreeAsset, VisibleNode } from './visible-nodes.ts'

/**
 * Nodes that exist in no organization's tree and are shown in everybody's; id and key are the same.
 */
export const FAVORITE = 'favorite'
export const UNGROUPED = 'ungrouped'

export interface WireNode {
  id: string
  name: string
  key: string
  value: string
  org_id: string
  assets_amount: number
}

export function wireNode({ id, key, value, org_id }: VisibleNode, assetsAmount: number): WireNode {
  return { id, name: value, key, value, org_id, assets_amount: assetsAmount }
}

/** Favorites or ungrouped, named in the language asked for. */
export function specialNode(
  key: typeof FAVORITE | typeof UNGROUPED,
  assetsAmount: number,
  language: Language,
): WireNode {
  const value = translate(language, key === FAVORITE ? 'Favorite' : 'Ungrouped')
  return { id: key, name: value, key, value, org_id: '', assets_amount: assetsAmount }
}

/**
 * A node as existing clients read it in trees (docs/rules/assets.md#tree_item_node). Trees of
 * groups have no counts.
 */
export function nodeItem({ id, key, value, assets_amount }: WireNode, { counted = true } = {}) {
  const name = counted ? `${value} (${assets_amount})` : value
  const special = key === FAVORITE || key === UNGROUPED
  const isRoot = !special && !key.includes(':')
  return {
    id: key,
    name,
    title: name,
    pId: special || isRoot ? '' : key.slice(0, key.lastIndexOf(':')),
    isParent: true,
    open: isRoot,
    meta: { type: 'node', data: { id, key, value } },
  }
}

/**
 * An asset as a leaf (docs/rules/assets.md#tree_item_asset). `parent` is the key of the node that
 * it is shown under.
 */
export function assetItem(asset: TreeAsset, parent: string, orgNames: ReadonlyMap<string, string>) {
  const { id, hostname, ip, protocols, base, is_active, org_id } = asset
  return {
    id,
    name: hostname,
    title: ip,
    pId: parent,
    isParent: false,
    open: false,
    iconSkin: base === 'Windows' ? 'windows' : base === 'Linux' ? 'linux' : 'file',
    chkDisabled: !is_active,
    meta: {
      type: 'asset',
      data: { id, hostname, ip, protocols, platform: base, org_name: orgNames.get(org_id) ?? '' },
    },
  }
}
