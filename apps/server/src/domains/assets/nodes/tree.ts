import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { and, asc, eq, inArray, ne, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { lockUntilCommit } from '../../../kernel/database/locks.ts'
import { invalid, notFound } from '../../../kernel/errors/app-error.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { countOf, countsOf } from '../../../kernel/row-counts.ts'
import { assetsAsset, assetsAssetNode, assetsNode } from '../tables.ts'

export type Node = typeof assetsNode.$inferSelect

/** Longest name of a node (docs/rules/assets.md#node). */
const MAX_NODE_NAME = 128

/**
 * Locks this organization's tree for the rest of the transaction. Moves and renames rewrite keys
 * and full paths of whole subtrees: with row locks alone, two of them could interleave.
 */
export async function lockTree(db: Database, orgId: string): Promise<void> {
  await lockUntilCommit(db, `assets_node ${orgId}`)
}

/**
 * Has nobody put assets into nodes, or take them out, until the transaction is over. Waits for those
 * who are at it, such as an import.
 */
export async function lockPlacements(db: Database): Promise<void> {
  await db.execute(sql`LOCK TABLE assets_asset_node IN SHARE MODE`)
}

/**
 * The organization's root node: made when missing, renamed when the organization was renamed. The
 * default organization has key 1, others the highest root number plus one, from 2
 * (docs/rules/assets.md#node).
 */
export async function ensureRootNode(database: Database, orgId: string, name: string): Promise<Node> {
  return database.transaction(async (db) => {
    await lockTree(db, 'roots')
    const existing = await findRootNode(db, orgId)
    if (existing) return existing.value === name ? existing : renameNode(db, existing, name)
    const key =
      orgId === DEFAULT_ORG_ID
        ? '1'
        : sql`(SELECT greatest(coalesce(max(key::integer), 0) + 1, 2) FROM assets_node WHERE parent_key = '')::text`
    const [root] = await db
      .insert(assetsNode)
      .values({ org_id: orgId, key: key as string, value: name, full_value: `/${name}` })
      .returning()
    return root as Node
  })
}

async function findRootNode(db: Database, orgId: string): Promise<Node | undefined> {
  const [root] = await db
    .select()
    .from(assetsNode)
    .where(and(eq(assetsNode.org_id, orgId), eq(assetsNode.parent_key, '')))
  return root
}

/**
 * The root node of an organization. Throws 404 where there is none, which means that the
 * organization is unknown.
 */
export async function getRootNode(db: Database, orgId: string): Promise<Node> {
  const root = await findRootNode(db, orgId)
  if (!root) throw notFound()
  return root
}

/**
 * A node by id or key, of that organization; of any if `orgId` is undefined. Undefined when there
 * is none.
 */
export async function findNode(db: Database, idOrKey: string, orgId: string | undefined): Promise<Node | undefined> {
  if (!isUuid(idOrKey) && !/^\d+(:\d+)*$/.test(idOrKey)) return undefined
  const which = isUuid(idOrKey) ? eq(assetsNode.id, idOrKey) : eq(assetsNode.key, idOrKey)
  const [node] = await db
    .select()
    .from(assetsNode)
    .where(and(which, orgId ? eq(assetsNode.org_id, orgId) : undefined))
  return node
}

/** The node and everything below it. */
export const inSubtree = (node: Pick<Node, 'path'>): SQL => sql`${assetsNode.path} <@ ${node.path}::ltree`

/** Ids of the node and everything below it. */
export async function subtreeIds(db: Database, node: Pick<Node, 'path'>): Promise<string[]> {
  const rows = await db.select({ id: assetsNode.id }).from(assetsNode).where(inSubtree(node))
  return rows.map((row) => row.id)
}

/** Direct children, by name. */
export async function childrenOf(db: Database, node: Pick<Node, 'key'>): Promise<Node[]> {
  return db
    .select()
    .from(assetsNode)
    .where(eq(assetsNode.parent_key, node.key))
    .orderBy(asc(assetsNode.value), asc(assetsNode.id))
}

/** The name as it is stored. Throws 400 on `value`. */
export function checkedNodeName(value: unknown): string {
  if (typeof value !== 'string') throw invalid({ value: 'Not a valid string.' })
  const name = value.trim()
  if (!name) throw invalid({ value: 'This field may not be blank.' })
  if (name.includes('/')) throw invalid({ value: 'Must not contain /' })
  if (name.includes('\0')) throw invalid({ value: 'Null characters are not allowed.' })
  if (name.length > MAX_NODE_NAME) throw invalid({ value: 'The name is too long.' })
  return name
}

async function refuseTakenName(db: Database, parentKey: string, value: string, self?: string): Promise<void> {
  const [sibling] = await db
    .select({ id: assetsNode.id })
    .from(assetsNode)
    .where(
      and(
        eq(assetsNode.parent_key, parentKey),
        eq(assetsNode.value, value),
        self ? ne(assetsNode.id, self) : undefined,
      ),
    )
  if (sibling) throw invalid({ value: 'A node with this name already exists at this level' })
}

/**
 * The columns of a new node below `parent`, whose tree the caller has locked. Throws 400 when a
 * sibling has the name.
 */
export async function prepareChild(
  db: Database,
  parentId: string,
  value: string,
): Promise<Pick<Node, 'org_id' | 'key' | 'parent_key' | 'value' | 'full_value'>> {
  const [parent] = await db.select().from(assetsNode).where(eq(assetsNode.id, parentId)).for('update')
  if (!parent) throw notFound()
  await refuseTakenName(db, parent.key, value)
  const key = await takeChildKey(db, parent)
  return { org_id: parent.org_id, key, parent_key: parent.key, value, full_value: `${parent.full_value}/${value}` }
}

/**
 * A new node below the parent, whose tree the caller has locked. Throws 400 for a malformed or
 * taken name.
 */
export async function addChild(db: Database, parentId: string, name: string, id?: string): Promise<Node> {
  const values = await prepareChild(db, parentId, checkedNodeName(name))
  const [node] = await db
    .insert(assetsNode)
    .values({ ...(id ? { id } : {}), ...values })
    .returning()
  return node as Node
}

/**
 * The next key for a child: by the parent's counter, or past the highest child where that key is
 * taken.
 */
async function takeChildKey(db: Database, parent: Node): Promise<string> {
  const [{ taken, next } = { taken: false, next: 2 }] = (
    await db.execute<{ taken: boolean; next: number }>(sql`
      SELECT coalesce(bool_or(key = ${`${parent.key}:${parent.child_mark}`}), false) AS taken,
             coalesce(max(split_part(key, ':', -1)::integer) + 1, 2) AS next
      FROM assets_node WHERE parent_key = ${parent.key}`)
  ).rows
  const number = taken ? next : parent.child_mark
  await db
    .update(assetsNode)
    .set({ child_mark: sql`greatest(${assetsNode.child_mark}, ${number}) + 1` })
    .where(eq(assetsNode.id, parent.id))
  return `${parent.key}:${number}`
}

/** A free name for a node that was created without one; `nameOf(1)` is tried first. */
export async function freeChildName(
  db: Database,
  parent: Pick<Node, 'key'>,
  nameOf: (number: number) => string,
): Promise<string> {
  const taken = new Set((await childrenOf(db, parent)).map((child) => child.value))
  for (let number = 1; ; number++) if (!taken.has(nameOf(number))) return nameOf(number)
}

/**
 * Renames a node and updates the full paths of its subtree. The caller has locked the tree, and
 * checks whether a root may be renamed.
 */
export async function renameNode(db: Database, node: Node, name: string): Promise<Node> {
  if (node.parent_key) await refuseTakenName(db, node.parent_key, name, node.id)
  const fullValue = node.parent_key
    ? `${node.full_value.slice(0, node.full_value.length - node.value.length)}${name}`
    : `/${name}`
  await db
    .update(assetsNode)
    .set({ full_value: sql`${fullValue}::text || substr(${assetsNode.full_value}, ${node.full_value.length + 1})` })
    .where(inSubtree(node))
  const [renamed] = await db.update(assetsNode).set({ value: name }).where(eq(assetsNode.id, node.id)).returning()
  return renamed as Node
}

/**
 * Moves a node with its subtree below `target`: it gets a new key, its descendants a new prefix.
 * The caller has locked the tree. Throws 400 for a root, for a target inside the subtree, and when
 * a child of the target has the name.
 */
export async function moveNode(db: Database, nodeId: string, targetId: string): Promise<void> {
  // Read again for each node: an earlier move of the same call may have changed both keys.
  const [node] = await db.select().from(assetsNode).where(eq(assetsNode.id, nodeId)).for('update')
  const [target] = await db.select().from(assetsNode).where(eq(assetsNode.id, targetId)).for('update')
  if (!node || !target) throw notFound()
  if (!node.parent_key) throw invalid({ nodes: "The root node can't be moved" })
  if (target.key === node.key || target.key.startsWith(`${node.key}:`))
    throw invalid({ nodes: "A node can't be moved below itself" })
  if (node.parent_key === target.key) return
  await refuseTakenName(db, target.key, node.value)
  const key = await takeChildKey(db, target)
  await db.execute(sql`
    UPDATE assets_node SET
      key = ${key}::text || substr(key, ${node.key.length + 1}),
      parent_key = CASE WHEN id = ${node.id} THEN ${target.key} ELSE ${key}::text || substr(parent_key, ${node.key.length + 1}) END,
      full_value = ${target.full_value}::text || '/' || ${node.value}::text || substr(full_value, ${node.full_value.length + 1})
    WHERE path <@ ${node.path}::ltree`)
}

/**
 * The node at a full path; missing levels are made. The root's name at the front may be left out.
 * The caller has locked the tree.
 */
export async function ensurePath(db: Database, orgId: string, fullPath: string): Promise<Node> {
  const root = await getRootNode(db, orgId)
  const path = `/${fullPath
    .split('/')
    .map((part) => part.trim())
    .filter(Boolean)
    .join('/')}`
  const below =
    path === root.full_value ? '' : path.startsWith(`${root.full_value}/`) ? path.slice(root.full_value.length) : path
  const levels = below.split('/').filter(Boolean)
  const known = await db
    .select()
    .from(assetsNode)
    .where(
      and(
        eq(assetsNode.org_id, orgId),
        inArray(
          assetsNode.full_value,
          levels
            .map((_, index) => `${root.full_value}/${levels.slice(0, index + 1).join('/')}`)
            .concat(root.full_value),
        ),
      ),
    )
  const byPath = new Map(known.map((node) => [node.full_value, node]))
  let node = root
  for (const level of levels) node = byPath.get(`${node.full_value}/${level}`) ?? (await addChild(db, node.id, level))
  return node
}

/**
 * Number of distinct assets in the subtree of each node, by node id, computed now. For a root it is
 * the organization's counter, since every asset is in some node.
 */
export async function assetAmounts(
  db: Database,
  nodes: readonly Pick<Node, 'id' | 'org_id' | 'parent_key'>[],
): Promise<Map<string, number>> {
  const amounts = new Map<string, number>(nodes.map((node) => [node.id, 0]))
  const roots = nodes.filter((node) => !node.parent_key)
  if (roots.length) {
    const byOrg = await countsOf(
      db,
      assetsAsset,
      roots.map((root) => root.org_id),
    )
    for (const root of roots) amounts.set(root.id, byOrg.get(root.org_id) ?? 0)
  }
  const others = nodes.filter((node) => node.parent_key).map((node) => node.id)
  if (others.length) {
    const { rows } = await db.execute<{ id: string; amount: number }>(sql`
      SELECT n.id, count(DISTINCT an.asset_id)::int AS amount
      FROM assets_node n JOIN assets_node d ON d.path <@ n.path JOIN assets_asset_node an ON an.node_id = d.id
      WHERE n.id = ANY(${sql.param(others)}::uuid[]) GROUP BY n.id`)
    for (const row of rows) amounts.set(row.id, row.amount)
  }
  return amounts
}

/** How many assets an organization has (undefined: all of them), without counting rows. */
export const assetCount = (db: Database, orgId: string | undefined): Promise<number> => countOf(db, assetsAsset, orgId)

/**
 * Puts assets that are in no node into their organization's root (docs/rules/assets.md#asset).
 */
export async function adoptOrphans(db: Database, assetIds: readonly string[]): Promise<void> {
  if (!assetIds.length) return
  await db.execute(sql`
    INSERT INTO assets_asset_node (asset_id, node_id)
    SELECT a.id, r.id FROM assets_asset a JOIN assets_node r ON r.org_id = a.org_id AND r.parent_key = ''
    WHERE a.id = ANY(${sql.param([...assetIds])}::uuid[]) AND NOT EXISTS (SELECT 1 FROM assets_asset_node an WHERE an.asset_id = a.id)
    ON CONFLICT DO NOTHING`)
}

/** The nodes that each asset is directly in, by asset id. */
export async function nodesOf(db: Database, assetIds: readonly string[]): Promise<Map<string, Node[]>> {
  const rows = await db
    .select({ asset: assetsAssetNode.asset_id, node: assetsNode })
    .from(assetsAssetNode)
    .innerJoin(assetsNode, eq(assetsNode.id, assetsAssetNode.node_id))
    .where(inArray(assetsAssetNode.asset_id, [...assetIds]))
    .orderBy(assetsNode.full_value)
  const nodes = new Map<string, Node[]>()
  for (const { asset, node } of rows) nodes.set(asset, [...(nodes.get(asset) ?? []), node])
  return nodes
}

/** Those of these ids that are assets of the organization. */
export async function assetsAmong(db: Database, ids: readonly string[], orgId: string): Promise<string[]> {
  if (!ids.length) return []
  const rows = await db
    .select({ id: assetsAsset.id })
    .from(assetsAsset)
    .where(and(inArray(assetsAsset.id, [...ids]), eq(assetsAsset.org_id, orgId)))
  return rows.map((row) => row.id)
}
