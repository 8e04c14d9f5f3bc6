import { and, asc, ilike, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { readInet } from '../../../kernel/database/read-inet.ts'
import type { Language } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { escapeLike, isUuid, NOTHING } from '../../../kernel/resource/conditions.ts'
import { assetsListedAsset } from '../../assets/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { type Grants, isGranted, loadGrants } from '../grants.ts'
import { countAll, directly, favorites, underNode } from './granted-assets.ts'
import { specialNodes, withAmounts } from './granted-tree.ts'
import { FAVORITE, UNGROUPED, type WireNode } from './tree-items.ts'
import { VisibleTree } from './visible-nodes.ts'

const MAX_WORDS = 20

/** An asset as lists without a console show it, such as the SSH menu. */
export interface ListedAsset {
  id: string
  hostname: string
  ip: string
  comment: string
  is_active: boolean
}

export interface GrantedAssetsQuestion {
  userId: string
  /**
   * Only assets in the subtree of this node, or in `favorite` or `ungrouped`. A node of which the
   * person sees nothing is empty.
   */
  nodeId?: string | undefined
  /** Each of these must occur in host name, IP or comment. */
  words?: readonly string[]
  /** Only assets with exactly this IP, host name (in any case) or id. */
  named?: string
  /** IPs are sorted by number. */
  sort: 'hostname' | 'ip'
  limit: number
  offset?: number
}

/**
 * A page of all assets that a person was granted in any organization, inactive ones included, and
 * their total number.
 */
export async function findGrantedAssets(
  db: Database,
  question: GrantedAssetsQuestion,
): Promise<{ total: number; assets: ListedAsset[] }> {
  const { userId, nodeId, words = [], named, sort, limit, offset = 0 } = question
  const grants = await loadGrants(db, { family: 'asset', subject: { userId }, orgId: undefined })
  const narrowing = [...words.slice(0, MAX_WORDS).map(holds), ...(named === undefined ? [] : [isNamed(named)])]
  const where = and(await within(db, grants, userId, nodeId), ...narrowing)
  const { id, hostname, ip, comment, is_active } = assetsListedAsset
  const assets = await db
    .select({ id, hostname, ip, comment, is_active })
    .from(assetsListedAsset)
    .where(where)
    // Names that are no IP addresses come after those that are.
    .orderBy(...(sort === 'ip' ? [sql`${readInet(ip)} NULLS LAST`, asc(ip)] : []), asc(hostname), asc(id))
    .limit(limit)
    .offset(offset)
  if (!offset && assets.length < limit) return { total: assets.length, assets }
  const known = nodeId || narrowing.length ? undefined : await countAll(db, grants)
  return { total: known ?? (await db.$count(assetsListedAsset, where)), assets }
}

async function within(db: Database, grants: Grants, userId: string, nodeId: string | undefined): Promise<SQL> {
  if (nodeId === undefined) return isGranted(grants, assetsListedAsset)
  if (nodeId === FAVORITE) return favorites(grants, assetsListedAsset, userId)
  if (nodeId === UNGROUPED) return directly(grants, assetsListedAsset)
  return (await underNode(db, grants, assetsListedAsset, nodeId, undefined)) ?? NOTHING
}

function holds(word: string): SQL | undefined {
  const pattern = `%${escapeLike(word.replaceAll('\0', ''))}%`
  return or(
    ilike(assetsListedAsset.hostname, pattern),
    ilike(assetsListedAsset.ip, pattern),
    ilike(assetsListedAsset.comment, pattern),
  )
}

function isNamed(text: string): SQL | undefined {
  const name = text.replaceAll('\0', '')
  const pattern = escapeLike(name)
  return or(
    ilike(assetsListedAsset.hostname, pattern),
    ilike(assetsListedAsset.ip, pattern),
    isUuid(name) ? sql`${assetsListedAsset.id} = ${name}::uuid` : undefined,
  )
}

/**
 * The nodes that a person sees: each organization's tree from its root, siblings by name, with
 * favorites and ungrouped assets first where there are any.
 */
export async function findGrantedNodes(
  kernel: Kernel,
  { userId, language }: { userId: string; language: Language },
): Promise<WireNode[]> {
  const { db } = kernel
  const grants = await loadGrants(db, { family: 'asset', subject: { userId }, orgId: undefined })
  const ungrouped = settingsOf(kernel).get('PERM_SINGLE_ASSET_TO_UNGROUP_NODE')
  const tree = await VisibleTree.open(db, grants, { ungrouped })
  const special = await specialNodes(db, { grants, userId, ungrouped, language })
  return [
    ...special.filter(({ assets_amount }) => assets_amount > 0),
    ...byTree(await withAmounts(tree, await tree.all())),
  ]
}

/** Parents before children, siblings by name. */
function byTree(nodes: readonly WireNode[]): WireNode[] {
  const childrenOf = new Map<string, WireNode[]>()
  for (const node of nodes) {
    const parent = node.key.slice(0, Math.max(0, node.key.lastIndexOf(':')))
    const brothers = childrenOf.get(parent)
    if (brothers) brothers.push(node)
    else childrenOf.set(parent, [node])
  }
  const below = (key: string): WireNode[] =>
    (childrenOf.get(key) ?? [])
      .sort((a, b) => a.value.localeCompare(b.value) || (a.id < b.id ? -1 : 1))
      .flatMap((node) => [node, ...below(node.key)])
  return below('')
}
