import { sql } from 'drizzle-orm'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'
import { anyOf, loadGrants } from '../grants.ts'
import { UNGROUPED } from './tree-items.ts'
import { selectTreeAssets, type TreeAsset, VisibleTree } from './visible-nodes.ts'

export interface GrantedFolders {
  nodes: { key: string; value: string }[]
  assets: TreeAsset[]
}

/**
 * One level of a person's granted tree as folders: without a key, the roots of organizations; else
 * what is in that node.
 */
export async function grantedFolders(
  kernel: Kernel,
  userId: string,
  { nodeKey, language }: { nodeKey: string | undefined; language: Language },
): Promise<GrantedFolders> {
  const { db } = kernel
  const grants = await loadGrants(db, { family: 'asset', subject: { userId }, orgId: undefined })
  const ungrouped = settingsOf(kernel).get('PERM_SINGLE_ASSET_TO_UNGROUP_NODE')
  if (nodeKey === UNGROUPED) {
    return {
      nodes: [],
      assets: ungrouped ? await selectTreeAssets(db, sql``, sql`a.id = ${anyOf(grants.targetIds)}`) : [],
    }
  }
  const tree = await VisibleTree.open(db, grants, { ungrouped })
  if (nodeKey === undefined) {
    const direct =
      ungrouped && grants.targetIds.length ? [{ key: UNGROUPED, value: translate(language, 'Ungrouped') }] : []
    return { nodes: [...(await tree.roots()), ...direct], assets: [] }
  }
  const node = await tree.node({ key: nodeKey })
  return { nodes: await tree.children(nodeKey), assets: node ? await tree.assetsIn([node]) : [] }
}
