import { eq } from 'drizzle-orm'
import { arriveNodes, settleTree } from '../../../domains/assets/arriving/index.ts'
import { assetsListedNode } from '../../../domains/assets/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { arrivedIds } from '../../../kernel/arrivals/note-arrivals.ts'
import { bring, type ImportContext, ORGANIZATION_GONE } from '../context.ts'
import { Names } from '../names.ts'
import type { KindNotes } from '../report/report.ts'
import { text, uuid } from '../values.ts'

interface TheirNode {
  id: string
  key: string
  value: string
  org: string
}

const AT_ONCE = 1000
const depth = ({ key }: TheirNode) => key.split(':').length
const parentKey = (key: string) => key.split(':').slice(0, -1).join(':')

/** The tree of each organization, hung under the root node that is here. */
export async function importNodes(context: ImportContext): Promise<void> {
  const notes = context.report.kind('Nodes')
  const nodes = await readNodes(context, notes)
  const known = await arrivedIds(context.run, 'node')
  for (const [org, own] of Map.groupBy(nodes, (node) => node.org)) {
    const tree = await treeOf(context, org)
    own.sort((one, other) => depth(one) - depth(other) || (one.key < other.key ? -1 : 1))
    const rows = rowsOf(context, notes, own, { tree, known, org })
    // Parents are stored before what is below them.
    for (let at = 0; at < rows.length; at += AT_ONCE)
      await bring(context, notes, (run, some) => arriveNodes(run, org, some), rows.slice(at, at + AT_ONCE), 'node')
    await settleTree(context.run.db, org)
  }
}

async function readNodes({ source, ids }: ImportContext, notes: KindNotes): Promise<TheirNode[]> {
  const nodes: TheirNode[] = []
  for await (const batch of source.read({ table: 'assets.node', columns: ['org_id', 'key', 'value'] }))
    for (const row of batch) {
      const id = uuid(row.id)
      const key = row.key ?? ''
      const value = text(row.value, 128).replaceAll('/', '-').trim() || key
      // Negative keys are views that JumpServer makes up, such as all favorites.
      if (!id || !/^\d{1,9}(?::\d{1,9}){0,60}$/.test(key)) continue
      notes.read++
      const org = ids.organization(row.org_id)
      if (org) nodes.push({ id, key, value, org })
      else notes.staysBehind(value, ORGANIZATION_GONE)
    }
  return nodes
}

/** The tree of an organization as it is here and grows. */
interface Tree {
  root: { id: string; key: string }
  /** Keys by id. */
  keys: Map<string, string>
  /** Children by the key of their parent. */
  names: Names
  taken: Set<string>
  highest: Map<string, number>
}

async function treeOf({ run }: ImportContext, org: string): Promise<Tree> {
  const { id, org_id, key, parent_key, value } = assetsListedNode
  const own = await run.db.select({ id, key, parent_key, value }).from(assetsListedNode).where(eq(org_id, org))
  const root = own.find((row) => row.parent_key === '')
  if (!root) throw new Error(`the organization ${org} has no root node`)
  const tree: Tree = { root, keys: new Map(), names: new Names(128), taken: new Set(), highest: new Map() }
  for (const row of own) {
    if (row.parent_key !== '') tree.names.take(row.parent_key, row.value, row.id)
    addKey(tree, row.id, row.key)
  }
  return tree
}

function addKey(tree: Tree, id: string, key: string): void {
  tree.keys.set(id, key)
  tree.taken.add(key)
  const parent = parentKey(key)
  tree.highest.set(parent, Math.max(tree.highest.get(parent) ?? 0, Number(key.split(':').at(-1))))
}

/** The number that a child has there, where it is free here. */
function childKey(tree: Tree, parent: string, theirs: string): string {
  const same = `${parent}:${theirs.split(':').at(-1)}`
  return tree.taken.has(same) ? `${parent}:${(tree.highest.get(parent) ?? 0) + 1}` : same
}

interface Placing {
  tree: Tree
  known: ReadonlyMap<string, string>
  org: string
}

function rowsOf(
  { ids }: ImportContext,
  notes: KindNotes,
  nodes: readonly TheirNode[],
  { tree, known, org }: Placing,
): ArrivingRow[] {
  /** Keys here by keys there. */
  const keys = new Map<string, string>()
  let hasRoot = false
  const arrived = new Set(known.values())
  const used = new Set<string>()
  return nodes.flatMap(({ id, key, value }) => {
    if (!key.includes(':') && !hasRoot) {
      hasRoot = true
      notes.same++
      keys.set(key, tree.root.key)
      ids.set('node', id, tree.root.id)
      return []
    }
    const parent = keys.get(parentKey(key))
    if (!parent) notes.changes(value, 'The node above it is gone there: comes below the root')
    const parentHere = parent ?? tree.root.key
    // A node that people made here under the same name is the same node.
    const holder = tree.names.holder(parentHere, value)
    const isHere = holder !== undefined && holder !== id && !arrived.has(holder) && !used.has(holder)
    const own = known.get(id) ?? (isHere ? holder : id)
    const name = tree.names.free(parentHere, value, own)
    if (name !== value) notes.changes(value, 'Comes as {{name}}: another node has its name', { name })
    const ownKey = tree.keys.get(own) ?? childKey(tree, parentHere, key)
    addKey(tree, own, ownKey)
    keys.set(key, ownKey)
    used.add(own)
    const once = { key: ownKey, parent_key: parentKey(ownKey), full_value: '' }
    return [{ key: id, id: own, name: value, values: { org_id: org, value: name }, once }]
  })
}
