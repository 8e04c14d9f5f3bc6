import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { assetAmounts } from '../../assets/index.ts'
import { anyOf, type Grants, lineage } from '../grants.ts'

/** A node as somebody with grants sees it. */
export interface VisibleNode {
  id: string
  key: string
  parent_key: string
  value: string
  org_id: string
  /** Whether its whole subtree was granted: then the count is the node's own. */
  covered: boolean
}

type NodeRow = Omit<VisibleNode, 'covered'> & Record<string, unknown>

/**
 * The part of the node tree that grants make visible: granted nodes with everything below, nodes of
 * directly granted assets, and the nodes above them (docs/rules/perms.md#granted_asset).
 */
export class VisibleTree {
  readonly #db: Database
  readonly #grants: Grants
  readonly #grantedKeys: Set<string>
  /** Keys of the visible nodes and of those above them. */
  readonly #onTheWay: Set<string>

  private constructor(db: Database, grants: Grants, nodeKeysOfAssets: readonly string[]) {
    this.#db = db
    this.#grants = grants
    this.#grantedKeys = new Set(grants.nodes.map(({ key }) => key))
    this.#onTheWay = new Set([...this.#grantedKeys, ...nodeKeysOfAssets].flatMap(lineage))
  }

  /**
   * With `ungrouped`, directly granted assets don't make their nodes visible (setting
   * PERM_SINGLE_ASSET_TO_UNGROUP_NODE).
   */
  static async open(db: Database, grants: Grants, { ungrouped }: { ungrouped: boolean }): Promise<VisibleTree> {
    if (ungrouped) return new VisibleTree(db, { ...grants, targetIds: [] }, [])
    const { rows } = grants.targetIds.length
      ? await db.execute<{ key: string }>(
          sql`SELECT DISTINCT n.key FROM assets_asset_in_node an JOIN assets_listed_node n ON n.id = an.node_id WHERE an.asset_id = ${anyOf(grants.targetIds)}`,
        )
      : { rows: [] }
    return new VisibleTree(
      db,
      grants,
      rows.map(({ key }) => key),
    )
  }

  isCovered(key: string): boolean {
    return lineage(key).some((above) => this.#grantedKeys.has(above))
  }

  isVisible(key: string): boolean {
    return this.#onTheWay.has(key) || this.isCovered(key)
  }

  /** Organizations' root nodes, by name. */
  async roots(): Promise<VisibleNode[]> {
    const keys = [...this.#onTheWay].filter((key) => !key.includes(':'))
    return keys.length ? this.#visible(sql`key = ANY(${sql.param(keys)}::text[])`) : []
  }

  /** Visible children of a node, by name; none if the node is not visible itself. */
  async children(key: string): Promise<VisibleNode[]> {
    return this.isVisible(key) ? this.#visible(sql`parent_key = ${key}`) : []
  }

  async node(keyOrId: { key: string } | { id: string }): Promise<VisibleNode | undefined> {
    const [node] = await this.#visible('key' in keyOrId ? sql`key = ${keyOrId.key}` : sql`id = ${keyOrId.id}::uuid`)
    return node
  }

  /** All visible nodes, parents before children. */
  async all(): Promise<VisibleNode[]> {
    const roots = [...this.#onTheWay].filter((key) => !key.includes(':'))
    return roots.length ? this.#visible(sql`split_part(key, ':', 1) = ANY(${sql.param(roots)}::text[])`, sql`path`) : []
  }

  async #visible(which: ReturnType<typeof sql>, order = sql`value, id`): Promise<VisibleNode[]> {
    const { rows } = await this.#db.execute<NodeRow>(
      sql`SELECT id, key, parent_key, value, org_id FROM assets_listed_node WHERE ${which} ORDER BY ${order}`,
    )
    return rows.filter(({ key }) => this.isVisible(key)).map((row) => ({ ...row, covered: this.isCovered(row.key) }))
  }

  /** Number of distinct visible assets in the subtree of each node, by node id. */
  async amounts(nodes: readonly VisibleNode[]): Promise<Map<string, number>> {
    const amounts = await assetAmounts(
      this.#db,
      nodes.filter(({ covered }) => covered),
    )
    const partly = nodes.filter(({ covered }) => !covered).map(({ id }) => id)
    if (!partly.length) return amounts
    const { coveredNodeIds, targetIds } = this.#grants
    const { rows } = await this.#db.execute<{ id: string; amount: number }>(sql`
      WITH visible AS MATERIALIZED (
        SELECT an.node_id, an.asset_id FROM assets_asset_in_node an WHERE an.node_id = ${anyOf(coveredNodeIds)}
        UNION SELECT an.node_id, an.asset_id FROM assets_asset_in_node an WHERE an.asset_id = ${anyOf(targetIds)}
      )
      SELECT n.id, count(DISTINCT v.asset_id)::int AS amount
      FROM assets_listed_node n JOIN assets_listed_node below ON below.path <@ n.path JOIN visible v ON v.node_id = below.id
      WHERE n.id = ${anyOf(partly)} GROUP BY n.id`)
    for (const id of partly) amounts.set(id, 0)
    for (const { id, amount } of rows) amounts.set(id, amount)
    return amounts
  }

  /**
   * Visible assets directly in these nodes, by host name. An asset in several nodes appears once
   * for each.
   */
  async assetsIn(nodes: readonly VisibleNode[]): Promise<TreeAsset[]> {
    return nodes.length ? (await this.#db.execute<TreeAsset>(this.assetsInStatement(nodes))).rows : []
  }

  /** The same as SQL. */
  assetsInStatement(nodes: readonly VisibleNode[], limit?: number): SQL {
    const covered = nodes.filter((node) => node.covered).map(({ id }) => id)
    const partly = nodes.filter((node) => !node.covered).map(({ id }) => id)
    return treeAssets(
      sql`JOIN assets_asset_in_node an ON an.asset_id = a.id JOIN assets_listed_node n ON n.id = an.node_id`,
      sql`an.node_id = ${anyOf(covered)} OR (an.node_id = ${anyOf(partly)} AND a.id = ${anyOf(this.#grants.targetIds)})`,
      sql`n.key`,
      limit,
    )
  }
}

export interface TreeAsset extends Record<string, unknown> {
  id: string
  hostname: string
  ip: string
  protocols: string[]
  is_active: boolean
  org_id: string
  platform: string
  base: string
  /** Key of the node under which it is shown; empty for none. */
  node_key: string
}

/** Assets as leaves of a tree, by host name; `a` is the alias of assets. */
export async function selectTreeAssets(
  db: Database,
  joins: ReturnType<typeof sql>,
  where: ReturnType<typeof sql>,
  nodeKey = sql`''`,
  limit?: number,
): Promise<TreeAsset[]> {
  return (await db.execute<TreeAsset>(treeAssets(joins, where, nodeKey, limit))).rows
}

/** The same as SQL. */
export const treeAssets = (joins: SQL, where: SQL, nodeKey = sql`''`, limit?: number): SQL => sql`
  SELECT a.id, a.hostname, a.ip, a.protocols, a.is_active, a.org_id, a.platform, p.base, ${nodeKey} AS node_key
  FROM assets_listed_asset a JOIN assets_listed_platform p ON p.name = a.platform ${joins}
  WHERE ${where} ORDER BY a.hostname, a.id${limit ? sql` LIMIT ${limit}` : sql``}`
