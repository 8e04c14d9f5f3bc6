/**
 * Nodes of the asset tree as the server lists them (docs/rules/assets.md#tree_item_node), joined
 * into a tree.
 */
export interface TreeItem {
  /** Node key such as `1:0`, or an asset's id. */
  id: string
  name: string
  title: string
  pId: string
  isParent: boolean
  open?: boolean
  iconSkin?: string
  chkDisabled?: boolean
  meta: { type: string; data: { id: string; key?: string; value?: string; [name: string]: unknown } }
}

/** A line of a tree as it is drawn. */
export interface TreeRow {
  item: TreeItem
  /** 1 for the top. */
  level: number
  isOpen: boolean
  /** Nothing lies below it, as far as is known. */
  isLeaf: boolean
  /** Its place among those of the same branch, from 1, and how many they are. */
  place: number
  siblings: number
}

/** Everything of a tree that is read so far, and what of it is unfolded. */
interface ReadTree {
  top: readonly TreeItem[]
  items: readonly TreeItem[]
  open: readonly string[]
  /** Ids of the items whose children were read. */
  loaded: ReadonlySet<string>
}

/** The lines of a tree in their order: what lies in a folded branch has none. */
export function treeRows({ top, items, open, loaded }: ReadTree): TreeRow[] {
  const below = Map.groupBy(items, ({ pId }) => pId)
  const known = new Set(items.map(({ id }) => id))
  const isUnfolded = new Set(open)
  const rows: TreeRow[] = []
  const addAll = (siblings: readonly TreeItem[], level: number) => {
    for (const [at, item] of siblings.entries()) {
      const children = below.get(item.id) ?? []
      const isLeaf = children.length === 0 && (!item.isParent || loaded.has(item.id))
      const isOpen = !isLeaf && isUnfolded.has(item.id)
      rows.push({ item, level, isOpen, isLeaf, place: at + 1, siblings: siblings.length })
      if (isOpen) addAll(children, level + 1)
    }
  }
  addAll(
    top.filter((item) => item.pId === item.id || !known.has(item.pId)),
    1,
  )
  return rows
}

const COUNT = /\s*\((\d+)\)$/

/** `DC (12)` → `DC`: the count is not part of a node's name. */
export function bareName(name: string): string {
  return name.replace(COUNT, '')
}

/** Groups of applications, whose names always end in a count. */
const COUNTED = new Set(['applications_root', 'category', 'type'])

/** `DC (12)` → `12`: how many assets or applications lie below, where the server says so. */
export function countIn({ name, meta }: TreeItem): string | undefined {
  const isCounted = COUNTED.has(meta.type) || (meta.type === 'node' && name !== meta.data.value)
  return isCounted ? COUNT.exec(name)?.[1] : undefined
}
