import { node } from '@sallyport/contract/resources/assets/node.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import type { Database } from '../../../kernel/database/database.ts'
import type { Language } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { escapeLike, isUuid } from '../../../kernel/resource/conditions.ts'
import { type Part, sendParts } from '../../../kernel/resource/lists/parts.ts'
import { TREE_ROWS } from '../../../kernel/resource/lists/tree-rows.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { assetsListedAsset } from '../../assets/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { type GrantScope, type Grants, isGranted, loadGrants, NO_GRANTS, type TargetColumns } from '../grants.ts'
import { type Audience, directly, favorites, MINE, OF_GROUP, OF_USER } from './granted-assets.ts'
import { assetItem, FAVORITE, nodeItem, specialNode, UNGROUPED, type WireNode, wireNode } from './tree-items.ts'
import { type TreeAsset, treeAssets, VisibleTree } from './visible-nodes.ts'

/** Most assets that a search in the tree answers (docs/rules/perms.md#granted_asset). */
const MAX_FOUND = 999

/** The alias of assets in queries for leaves. */
const A: TargetColumns = { id: sql`a.id`, org_id: sql`a.org_id` }

/** What calls for the tree work with. */
interface Opened {
  context: ReadContext
  question: GrantScope
  grants: Grants
  tree: VisibleTree
  ungrouped: boolean
}

/** A whole answer, or its part before the assets, of which there may be any number. */
type Items = readonly unknown[] | { head: readonly unknown[]; parts: readonly Part[] }

async function open(kernel: Kernel, { question }: Audience, request: FastifyRequest): Promise<Opened> {
  const context = contextOf(kernel, request)
  const asked = await question(context)
  const systemUserId = context.query.system_user
  const grants =
    systemUserId && !isUuid(systemUserId)
      ? NO_GRANTS
      : await loadGrants(kernel.db, { family: 'asset', ...asked, ...(systemUserId ? { systemUserId } : {}) })
  const ungrouped = settingsOf(kernel).get('PERM_SINGLE_ASSET_TO_UNGROUP_NODE') && 'userId' in asked.subject
  return { context, question: asked, grants, tree: await VisibleTree.open(kernel.db, grants, { ungrouped }), ungrouped }
}

const GRANTED_NODE = { label: node.label, fields: { ...node.fields, ...plainFields({ assets_amount: 'integer' }) } }

/** All trees and node lists of granted assets. */
export function registerGrantedTrees(kernel: Kernel): void {
  const add = (audience: Audience, path: string, summary: string, answer: (opened: Opened) => Promise<Items>) =>
    kernel.app.route({
      method: 'GET',
      url: `${audience.prefix}${path}`,
      config: {
        access: audience.access,
        summary: `Granted tree: ${audience.of}, ${summary}`,
        rows: path.endsWith('tree/') ? TREE_ROWS : GRANTED_NODE,
        answers: 'rows',
      },
      handler: async (request, reply) => {
        const opened = await open(kernel, audience, request)
        const items = await answer(opened)
        return 'parts' in items ? sendParts(opened.context, reply, items.head, items.parts) : items
      },
    })

  for (const audience of [MINE, OF_USER]) {
    add(audience, 'nodes/', 'all nodes', allNodes)
    add(audience, 'nodes/tree/', 'all nodes as tree items', async (opened) =>
      (await allNodes(opened)).map((node) => nodeItem(node)),
    )
    add(audience, 'nodes/children/', 'children of a node', children)
    add(audience, 'nodes/children/tree/', 'children of a node as tree items', async (opened) =>
      (await children(opened)).map((node) => nodeItem(node)),
    )
    add(audience, 'nodes/children-with-assets/tree/', 'children and assets of a node', childrenWithAssets)
    add(audience, 'nodes-with-assets/tree/', 'everything', everything)
  }
  add(MINE, 'assets/tree/', 'assets as leaves', async (opened) => leaves(opened, isGranted(opened.grants, A)))
  // Only assets that the user was granted directly, which existing clients expect.
  add(OF_USER, 'assets/tree/', 'direct assets as leaves', async (opened) => leaves(opened, directly(opened.grants, A)))
  add(MINE, 'ungroup/assets/tree/', 'ungrouped assets as leaves', async (opened) =>
    opened.ungrouped ? leaves(opened, directly(opened.grants, A)) : [],
  )
  for (const path of ['nodes/', 'nodes/children/']) {
    add(OF_GROUP, path, 'all nodes', async ({ tree }) => withAmounts(tree, await tree.all()))
  }
  add(OF_GROUP, 'nodes/children/tree/', 'children of a node', async ({ tree, context }) => {
    const nodes = context.query.key ? await tree.children(context.query.key) : await tree.roots()
    return nodes.map((node) => nodeItem(wireNode(node, 0), { counted: false }))
  })
}

export async function withAmounts(
  tree: VisibleTree,
  nodes: Parameters<VisibleTree['amounts']>[0],
): Promise<WireNode[]> {
  const amounts = await tree.amounts(nodes)
  return nodes.map((node) => wireNode(node, amounts.get(node.id) ?? 0))
}

interface SpecialNodesQuestion {
  grants: Grants
  userId: string
  /** Setting PERM_SINGLE_ASSET_TO_UNGROUP_NODE. */
  ungrouped: boolean
  language: Language
}

/** Favorites and, with the setting, ungrouped assets: always there, and first. */
export async function specialNodes(
  db: Database,
  { grants, userId, ungrouped, language }: SpecialNodesQuestion,
): Promise<WireNode[]> {
  const [row] = await db
    .select({ count: sql<number>`count(*)::int` })
    .from(assetsListedAsset)
    .where(favorites(grants, assetsListedAsset, userId))
  const special = [specialNode(FAVORITE, row?.count ?? 0, language)]
  if (ungrouped) special.push(specialNode(UNGROUPED, grants.targetIds.length, language))
  return special
}

function specialOf({ context, grants, question, ungrouped }: Opened): Promise<WireNode[]> {
  const { db, call } = context
  const userId = 'userId' in question.subject ? question.subject.userId : ''
  return specialNodes(db, { grants, userId, ungrouped, language: call.language })
}

async function allNodes(opened: Opened): Promise<WireNode[]> {
  return [...(await specialOf(opened)), ...(await withAmounts(opened.tree, await opened.tree.all()))]
}

async function children(opened: Opened): Promise<WireNode[]> {
  const { tree, context } = opened
  const { key } = context.query
  if (key) return withAmounts(tree, await tree.children(key))
  return [...(await specialOf(opened)), ...(await withAmounts(tree, await tree.roots()))]
}

async function childrenWithAssets(opened: Opened): Promise<Items> {
  const { tree, context, grants, question, ungrouped } = opened
  const { key, id } = context.query
  if (!key && !id) return (await children(opened)).map((node) => nodeItem(node))
  const orgNames = await context.kernel.orgNames()
  const special = key || id
  if (special === FAVORITE || special === UNGROUPED) {
    const userId = 'userId' in question.subject ? question.subject.userId : ''
    const condition = special === FAVORITE ? favorites(grants, A, userId) : directly(ungrouped ? grants : NO_GRANTS, A)
    return { head: [], parts: [partOf(condition, special, orgNames)] }
  }
  const node = key ? await tree.node({ key }) : isUuid(id) ? await tree.node({ id }) : undefined
  if (!node) return []
  const nodes = await withAmounts(tree, await tree.children(node.key))
  const assets: Part = {
    statement: (limit) => tree.assetsInStatement([node], limit),
    item: (asset) => assetItem(asset, node.key, orgNames),
  }
  return { head: nodes.map((child) => nodeItem(child)), parts: [assets] }
}

async function everything(opened: Opened): Promise<Items> {
  const { tree, context, grants, question, ungrouped } = opened
  const orgNames = await context.kernel.orgNames()
  const nodes = await tree.all()
  const amounts = await tree.amounts(nodes)
  const userId = 'userId' in question.subject ? question.subject.userId : ''
  const inNodes: Part = {
    statement: (limit) => tree.assetsInStatement(nodes, limit),
    item: (asset: TreeAsset) => assetItem(asset, asset.node_key, orgNames),
  }
  return {
    head: [
      ...(await specialOf(opened)).map((node) => nodeItem(node)),
      ...nodes.map((node) => nodeItem(wireNode(node, amounts.get(node.id) ?? 0))),
    ],
    parts: [
      partOf(favorites(grants, A, userId), FAVORITE, orgNames),
      ...(ungrouped ? [partOf(directly(grants, A), UNGROUPED, orgNames)] : []),
      ...(nodes.length ? [inNodes] : []),
    ],
  }
}

/** Assets that match a condition on `A`, as leaves below `parent`. */
const partOf = (condition: SQL, parent: string, orgNames: ReadonlyMap<string, string>, most?: number): Part => ({
  statement: (limit = most) => treeAssets(sql``, condition, sql`''`, most ? Math.min(most, limit ?? most) : limit),
  item: (asset) => assetItem(asset, parent, orgNames),
})

async function leaves(opened: Opened, condition: ReturnType<typeof sql>): Promise<Items> {
  const { query, kernel } = opened.context
  const narrowing = [condition]
  for (const word of (query.search ?? '')
    .replaceAll('\0', '')
    .split(/[\s,]+/)
    .filter(Boolean)
    .slice(0, 20)) {
    const pattern = `%${escapeLike(word)}%`
    narrowing.push(sql`(a.hostname ILIKE ${pattern} OR a.ip ILIKE ${pattern} OR a.comment ILIKE ${pattern})`)
  }
  if (query.hostname) narrowing.push(sql`a.hostname = ${query.hostname}`)
  if (query.ip) narrowing.push(sql`a.ip = ${query.ip}`)
  if (query.id) narrowing.push(isUuid(query.id) ? sql`a.id = ${query.id}::uuid` : sql`false`)
  const orgNames = await kernel.orgNames()
  const most = query.search ? MAX_FOUND : undefined
  return { head: [], parts: [partOf(sql.join(narrowing, sql` AND `), '', orgNames, most)] }
}
