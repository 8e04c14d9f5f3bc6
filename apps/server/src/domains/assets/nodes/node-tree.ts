import { node as nodeDefinition } from '@sallyport/contract/resources/assets/node.ts'
import { and, asc, eq, ilike, inArray, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { isRoot } from '../../../kernel/access/call.ts'
import { notFound } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { escapeLike, isUuid } from '../../../kernel/resource/conditions.ts'
import { type Part, sendParts } from '../../../kernel/resource/lists/parts.ts'
import { TREE_ROWS } from '../../../kernel/resource/lists/tree-rows.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import { assetsAsset, assetsAssetNode, assetsNode, assetsPlatform } from '../tables.ts'
import { assetAmounts, childrenOf, findNode, getRootNode, inSubtree, type Node } from './tree.ts'

/** A node as the console's tree shows it (docs/rules/assets.md#tree_item_node). */
export function nodeItem({ id, key, parent_key, value }: Node, amount: number): Record<string, unknown> {
  const name = `${value} (${amount})`
  return {
    id: key,
    name,
    title: name,
    pId: parent_key,
    isParent: true,
    open: !parent_key,
    meta: { type: 'node', data: { id, key, value } },
  }
}

interface LeafAsset {
  id: string
  org_id: string
  hostname: string
  ip: string
  protocols: string[]
  is_active: boolean
  base: string
}

/** An asset as a leaf. `base` is the platform's. */
export function assetItem(
  { id, hostname, ip, protocols, is_active, base }: LeafAsset,
  nodeKey: string,
  orgName: string,
): Record<string, unknown> {
  return {
    id,
    name: hostname,
    title: ip,
    pId: nodeKey,
    isParent: false,
    open: false,
    iconSkin: base === 'Windows' ? 'windows' : base === 'Linux' ? 'linux' : 'file',
    chkDisabled: !is_active,
    meta: { type: 'asset', data: { id, hostname, ip, protocols, platform: base, org_name: orgName } },
  }
}

/** Assets directly in these nodes, by name. */
function leaves(nodes: readonly Node[], orgNames: ReadonlyMap<string, string>): Part {
  const keys = new Map(nodes.map((node) => [node.id, node.key]))
  return {
    statement: (limit) => sql`
      SELECT l.node_id AS node, a.id, a.org_id, a.hostname, a.ip, a.protocols, a.is_active, p.base
      FROM ${assetsAssetNode} l JOIN ${assetsAsset} a ON a.id = l.asset_id JOIN ${assetsPlatform} p ON p.name = a.platform
      WHERE l.node_id = ANY(${sql.param([...keys.keys()])}::uuid[]) ORDER BY a.hostname, a.id${limit ? sql` LIMIT ${limit}` : sql``}`,
    item: ({ node, ...asset }: LeafAsset & { node: string }) =>
      assetItem(asset, keys.get(node) ?? '', orgNames.get(asset.org_id) ?? ''),
  }
}

const ownOrg = ({ call }: Pick<FastifyRequest, 'call'>): string | undefined => (isRoot(call) ? undefined : call.org.id)

/**
 * The node that the query names by `key` or `id`, or the address by id. Throws 404 when it does not
 * exist.
 */
export async function namedNode(
  { db }: Kernel,
  request: FastifyRequest,
  idOrKey: string | undefined,
): Promise<Node | undefined> {
  if (!idOrKey) return undefined
  const node = await findNode(db, idOrKey, ownOrg(request))
  if (!node) throw notFound()
  return node
}

/**
 * The selection of a tree call: the children of the node that it names; without one, the root (in
 * root, every organization's) and its children. With `all=all` everything below.
 */
async function selection(kernel: Kernel, request: FastifyRequest): Promise<{ nodes: Node[]; under: Node[] }> {
  const { db } = kernel
  const query = singleValues(request.query)
  const node = await namedNode(kernel, request, query.key || query.id)
  const descendants = async (top: Node) =>
    (
      await db.select().from(assetsNode).where(inSubtree(top)).orderBy(asc(assetsNode.value), asc(assetsNode.id))
    ).filter((one) => one.id !== top.id)
  if (node) return { nodes: await (query.all === 'all' ? descendants(node) : childrenOf(db, node)), under: [node] }
  if (isRoot(request.call))
    return {
      nodes: await db.select().from(assetsNode).where(eq(assetsNode.parent_key, '')).orderBy(asc(assetsNode.value)),
      under: [],
    }
  const root = await getRootNode(db, request.call.org.id)
  return { nodes: [root, ...(await (query.all === 'all' ? descendants(root) : childrenOf(db, root)))], under: [root] }
}

/** Calls that show the tree (docs/rules/assets.md#node). */
export function registerNodeTree(kernel: Kernel): void {
  registerTree(kernel)
  registerChildren(kernel)
}

/** Nodes as items of the console's tree. */
function registerTree(kernel: Kernel): void {
  const { app, db } = kernel
  app.route({
    method: 'GET',
    url: '/api/v1/assets/nodes/children/tree/',
    config: {
      access: ['org_admin'],
      summary: 'One level of the node tree, with or without assets',
      rows: TREE_ROWS,
      answers: 'rows',
    },
    handler: async (request, reply) => {
      const { assets } = singleValues(request.query)
      const { nodes, under } = await selection(kernel, request)
      const amounts = await assetAmounts(db, nodes)
      const items = nodes.map((node) => nodeItem(node, amounts.get(node.id) ?? 0))
      if (assets !== '1') return items
      return sendParts({ db, call: request.call }, reply, items, [leaves(under, await kernel.orgNames())])
    },
  })
  app.route({
    method: 'GET',
    url: '/api/v1/assets/nodes/tree/',
    config: { access: ['org_admin'], summary: 'All nodes as one tree', rows: TREE_ROWS, answers: 'rows' },
    handler: async (request) => {
      const { search, value, key, id } = singleValues(request.query)
      const orgId = ownOrg(request)
      const nodes = await db
        .select()
        .from(assetsNode)
        .where(
          and(
            orgId ? eq(assetsNode.org_id, orgId) : undefined,
            search ? ilike(assetsNode.value, `%${escapeLike(search.replaceAll('\0', ''))}%`) : undefined,
            value ? eq(assetsNode.value, value) : undefined,
            key ? eq(assetsNode.key, key) : undefined,
            id ? (isUuid(id) ? eq(assetsNode.id, id) : inArray(assetsNode.id, [])) : undefined,
          ),
        )
        .orderBy(asc(assetsNode.parent_key), asc(assetsNode.value), asc(assetsNode.id))
      const amounts = await assetAmounts(db, nodes)
      return nodes.map((node) => {
        const amount = amounts.get(node.id) ?? 0
        const item = nodeItem(node, amount)
        const data = { id: node.id, key: node.key, value: node.value, name: node.value, assets_amount: amount }
        return { ...item, parentInfo: '', iconSkin: '', nocheck: false, meta: { type: 'node', data } }
      })
    },
  })
}

/** Nodes as rows. */
function registerChildren(kernel: Kernel): void {
  const { app, db } = kernel
  app.route({
    method: 'GET',
    url: '/api/v1/assets/nodes/children/',
    config: {
      access: ['org_admin'],
      summary: 'Children of a node, or of the root',
      rows: nodeDefinition,
      answers: 'rows',
    },
    handler: async (request) => rowsOf(kernel, (await selection(kernel, request)).nodes),
  })
  app.route({
    method: 'GET',
    url: '/api/v1/assets/nodes/:id/children/',
    config: { access: ['org_admin'], summary: 'Children of a node', rows: nodeDefinition, answers: 'rows' },
    handler: async (request) => {
      const node = (await namedNode(kernel, request, (request.params as { id: string }).id)) as Node
      const { all } = singleValues(request.query)
      if (all !== 'all') return rowsOf(kernel, await childrenOf(db, node))
      const below = await db
        .select()
        .from(assetsNode)
        .where(inSubtree(node))
        .orderBy(asc(assetsNode.value), asc(assetsNode.id))
      return rowsOf(
        kernel,
        below.filter((one) => one.id !== node.id),
      )
    },
  })
}

async function rowsOf({ orgNames }: Kernel, nodes: readonly Node[]) {
  const names = await orgNames()
  return nodes.map(({ id, key, value, org_id, full_value }) => ({
    id,
    key,
    value,
    org_id,
    name: value,
    full_value,
    org_name: names.get(org_id) ?? '',
  }))
}
