import { node } from '@sallyport/contract/resources/assets/node.ts'
import { and, eq, getTableName, inArray, or, sql } from 'drizzle-orm'
import { AppError, invalid } from '../../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { ChangedRow, DeleteContext, ReadContext, StoredRow, WriteContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { assetAccounts } from '../asset-accounts.ts'
import { assetsAsset, assetsAssetNode, assetsNode } from '../tables.ts'
import { linkBelow } from './node-routes.ts'
import {
  adoptOrphans,
  checkedNodeName,
  ensurePath,
  getRootNode,
  inSubtree,
  lockTree,
  moveNode,
  prepareChild,
  renameNode,
} from './tree.ts'

type Writing = WriteContext<typeof node, typeof assetsNode>
type Deleting = DeleteContext<typeof assetsNode>
type Row = StoredRow<typeof assetsNode>

/** Folders of machines (docs/rules/assets.md#node). */
export default function mountNode(kernel: Kernel): void {
  mountResource(kernel, node, {
    table: assetsNode,
    computed: [{ fields: ['name'], load: async (rows) => rows.map((row) => ({ name: row.value })) }],
    keepOnPut: ['value'],
    rules: { beforeWrite: [placeInTree], beforeDelete: [deleteEmptySubtrees] },
    undo: { putBack: moveBack, afterwards: placeAssets },
  })
}

/** A node that was moved goes back to where it was, with all that is below it now. */
async function moveBack({ db }: ReadContext, row: Row, before: Readonly<Record<string, unknown>>): Promise<boolean> {
  if (typeof before.parent_key !== 'string') return false
  await lockTree(db, row.org_id)
  const [parent] = await db
    .select()
    .from(assetsNode)
    .where(and(eq(assetsNode.org_id, row.org_id), eq(assetsNode.key, before.parent_key)))
  if (!parent) throw new AppError(409, 'conflict', 'The node that it was in is gone, or has been moved itself.')
  await moveNode(db, row.id, parent.id)
  await linkBelow(db, [row.id])
  return true
}

/** No asset is in no node, and accounts follow the nodes. */
async function placeAssets({ db }: ReadContext, rows: readonly ChangedRow[]): Promise<void> {
  const links = rows.filter(({ table }) => table === getTableName(assetsAssetNode))
  const ids = links.map(({ before, after }) => String(before?.asset_id ?? after?.asset_id))
  const assets = await db
    .select({ id: assetsAsset.id })
    .from(assetsAsset)
    .where(inArray(assetsAsset.id, [...new Set(ids)]))
  const known = assets.map(({ id }) => id)
  await adoptOrphans(db, known)
  if (known.length) await assetAccounts.value.placed(db, known)
}

/** Refusals about the tree have their text under `error` (docs/rules/assets.md#node). */
function treeRefusal(status: number, language: Language, text: string): AppError {
  return new AppError(status, status === 403 ? 'permission_denied' : 'bad_request', text, {
    body: { error: translate(language, text) },
  })
}

/**
 * Places a new node under the root, or at its full path with the missing levels; renames an
 * existing one with all paths below.
 */
async function placeInTree(context: Writing): Promise<void> {
  const { draft, db, row, call } = context
  const orgId = context.call.org.id
  await lockTree(db, orgId)
  if (row) {
    delete draft.full_value
    if (draft.value === undefined || draft.value === null || draft.value === row.value) {
      delete draft.value
      return
    }
    if (!row.parent_key) throw treeRefusal(400, call.language, "You can't update the root node name")
    const renamed = await renameNode(db, row, checkedNodeName(draft.value))
    draft.value = renamed.value
    return
  }
  const levels = (draft.full_value ?? '')
    .split('/')
    .map((part) => part.trim())
    .filter(Boolean)
  const root = await getRootNode(db, orgId)
  if (levels[0] === root.value && levels.length > 1) levels.shift()
  const name = levels.pop() ?? draft.value
  if (name === undefined || name === null || name === '') throw invalid({ value: 'This field is required.' })
  const parent = levels.length ? await ensurePath(db, orgId, levels.join('/')) : root
  Object.assign(draft, await prepareChild(db, parent.id, checkedNodeName(name)))
}

/**
 * Refuses to delete a root, and subtrees with assets; otherwise deletes everything below as well.
 */
async function deleteEmptySubtrees({ db, rows, call }: Deleting): Promise<void> {
  for (const orgId of new Set(rows.map((one) => one.org_id))) await lockTree(db, orgId)
  if (rows.some((one) => !one.parent_key)) throw treeRefusal(403, call.language, "You can't delete the root node")
  const below = or(...rows.map(inSubtree))
  const [used] = await db
    .select({ id: assetsAssetNode.id })
    .from(assetsAssetNode)
    .where(inArray(assetsAssetNode.node_id, db.select({ id: assetsNode.id }).from(assetsNode).where(below)))
    .limit(1)
  if (used) throw treeRefusal(403, call.language, 'The node still holds assets and cannot be deleted')
  await db.delete(assetsNode).where(
    sql`(${below}) AND NOT ${inArray(
      assetsNode.id,
      rows.map((one) => one.id),
    )}`,
  )
}
