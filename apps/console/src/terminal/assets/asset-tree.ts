/**
 * The tree of granted assets as a value: what is known, what is open, and the rows that are shown
 * (contract web-terminal, tree).
 */

/** An item of the tree calls. */
export interface TreeItem {
  id: string
  name: string
  /** IP of an asset. */
  title: string
  pId: string
  isParent: boolean
  open?: boolean
  iconSkin?: string
  /** True for an inactive asset. */
  chkDisabled?: boolean
  /** Where in a cluster it stands (contract web-terminal, my_application_tree). */
  parentInfo?: string
  meta: {
    type: string
    data: {
      id: string
      key?: string
      hostname?: string
      ip?: string
      protocols?: string[]
      org_name?: string
      type?: string
      /** What it is in a cluster. */
      identity?: 'k8s' | ClusterLevel
      /** The cluster's name, and its account's, for its objects. */
      cluster?: string
      account?: string
    }
  }
}

export type ClusterLevel = 'system_user' | 'namespace' | 'pod' | 'container'

export const FAVORITE_KEY = 'favorite'
/** Assets granted by themselves, when the server shows them apart from their nodes. */
const UNGROUPED_KEY = 'ungrouped'
/** The key under which the first level is stored. */
export const TOP = ''

export interface AssetTree {
  /** Items below a node, by its key; a node that is not here has not been read. */
  children: ReadonlyMap<string, readonly TreeItem[]>
  open: ReadonlySet<string>
  /** Being read just now. */
  loading: ReadonlySet<string>
}

export const EMPTY_TREE: AssetTree = { children: new Map(), open: new Set(), loading: new Set() }

/** A line of the tree. An asset may be in several nodes, so `key` holds both ids. */
export interface TreeRow {
  key: string
  item: TreeItem
  /** 0 for the first level. */
  depth: number
  /** The key of the row that it is folded into, undefined on the first level. */
  parent: string | undefined
  open: boolean
  loading: boolean
}

/** The lines to show, top to bottom. */
export function treeRows(tree: AssetTree): TreeRow[] {
  const rows: TreeRow[] = []
  function add(parentId: string, parentRow: string | undefined, depth: number): void {
    for (const item of tree.children.get(parentId) ?? []) {
      const key = `${parentId}/${item.id}`
      const open = item.isParent && tree.open.has(item.id)
      rows.push({ key, item, depth, parent: parentRow, open, loading: tree.loading.has(item.id) })
      if (open) add(item.id, key, depth + 1)
    }
  }
  add(TOP, undefined, 0)
  return rows
}

/**
 * Whether the first level has come and holds none but the folders that everybody has, with nothing
 * in them.
 */
export function isWithoutGrants({ children }: AssetTree): boolean {
  const top = children.get(TOP)
  return top?.every(({ id, name }) => id === FAVORITE_KEY || (id === UNGROUPED_KEY && name.endsWith('(0)'))) ?? false
}

/**
 * The tree after the children of a node have come. The first level may come with the children of
 * nodes that are open from the start.
 */
export function withChildren(tree: AssetTree, key: string, items: readonly TreeItem[]): AssetTree {
  const children = new Map(tree.children)
  for (const [parent, list] of byParent(key, items)) children.set(parent, list)
  return withLoading({ ...tree, children }, key, false)
}

/** A tree of everything that came in one answer. */
export function wholeTree(items: readonly TreeItem[], open: ReadonlySet<string>): AssetTree {
  const children = byParent(TOP, items)
  for (const { isParent, id } of items) if (isParent && !children.has(id)) children.set(id, [])
  return {
    children,
    open: new Set([...open, ...items.filter((item) => item.open).map(({ id }) => id)]),
    loading: new Set(),
  }
}

/** Items by their parent; those whose parent did not come along belong to `key`. */
function byParent(key: string, items: readonly TreeItem[]): Map<string, TreeItem[]> {
  const known = new Set(items.filter(({ isParent }) => isParent).map(({ id }) => id))
  const children = new Map<string, TreeItem[]>([[key, []]])
  for (const item of items) {
    const parent = known.has(item.pId) && item.pId !== item.id ? item.pId : key
    const list = children.get(parent)
    if (list) list.push(item)
    else children.set(parent, [item])
  }
  return children
}

/**
 * The result of a search as a tree: a root with the count, assets grouped by organization when
 * there are several.
 */
export function searchTree(items: readonly TreeItem[], rootName: string): AssetTree {
  const folder = (id: string, name: string): TreeItem => ({
    id,
    name,
    title: name,
    pId: TOP,
    isParent: true,
    meta: { type: 'search', data: { id } },
  })
  const root = folder('search', `${rootName} (${items.length})`)
  const groups = new Map<string, TreeItem[]>()
  for (const item of items) {
    const org = item.meta.data.org_name ?? ''
    groups.set(org, [...(groups.get(org) ?? []), item])
  }
  const children = new Map<string, readonly TreeItem[]>([[TOP, [root]]])
  const open = new Set(['search'])
  if (groups.size < 2) children.set('search', items)
  else {
    children.set(
      'search',
      [...groups].map(([org, found]) => folder(`search:${org}`, `${org} (${found.length})`)),
    )
    for (const [org, found] of groups) {
      children.set(`search:${org}`, found)
      open.add(`search:${org}`)
    }
  }
  return { children, open, loading: new Set() }
}

/** Opened or closed. */
export function withOpen(tree: AssetTree, key: string, isOpen: boolean): AssetTree {
  const open = new Set(tree.open)
  if (isOpen) open.add(key)
  else open.delete(key)
  return { ...tree, open }
}

/** Marked as being read. */
export function withLoading(tree: AssetTree, key: string, isLoading: boolean): AssetTree {
  const loading = new Set(tree.loading)
  if (isLoading) loading.add(key)
  else loading.delete(key)
  return { ...tree, loading }
}

/** Local search of the whole tree, by host name and address, each asset once. */
export function findAssets(tree: AssetTree, text: string): TreeItem[] {
  const wanted = text.trim().toLowerCase()
  const found = new Map<string, TreeItem>()
  for (const items of tree.children.values())
    for (const item of items)
      if (!item.isParent && `${item.name}\n${item.title}`.toLowerCase().includes(wanted)) found.set(item.id, item)
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name))
}

export type TreeMove = { to: string } | { open: string } | { close: string } | undefined

/** The effect of a key in the tree, by the rules of the ARIA tree pattern. `current` is a row key. */
export function treeKey(rows: readonly TreeRow[], current: string | undefined, pressed: string): TreeMove {
  const at = rows.findIndex(({ key }) => key === current)
  const row = rows[at]
  const to = (target: TreeRow | undefined): TreeMove => (target ? { to: target.key } : undefined)
  switch (pressed) {
    case 'ArrowDown':
      return to(rows[at + 1])
    case 'ArrowUp':
      return to(at < 0 ? rows.at(-1) : rows[at - 1])
    case 'Home':
      return to(rows[0])
    case 'End':
      return to(rows.at(-1))
    case 'ArrowRight':
      if (!row?.item.isParent) return undefined
      return row.open ? (rows[at + 1]?.parent === row.key ? to(rows[at + 1]) : undefined) : { open: row.item.id }
    case 'ArrowLeft':
      if (row?.open) return { close: row.item.id }
      return row?.parent ? { to: row.parent } : undefined
    default:
      return undefined
  }
}
