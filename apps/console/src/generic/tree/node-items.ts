/**
 * Nodes of the asset tree as the server lists them (contract/assets.yaml, tree_item_node), joined
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

export interface TreeNode {
  key: string
  title: string
  isLeaf: boolean
  item: TreeItem
  children?: TreeNode[]
}

/**
 * The tree of everything loaded so far. A node whose children are not loaded yet has none, and is
 * no leaf.
 */
export function buildTree(items: readonly TreeItem[], loaded: ReadonlySet<string>): TreeNode[] {
  const nodes = new Map<string, TreeNode>()
  for (const item of items) nodes.set(item.id, { key: item.id, title: item.name, isLeaf: !item.isParent, item })
  const roots: TreeNode[] = []
  for (const node of nodes.values()) {
    const parent = nodes.get(node.item.pId)
    if (!parent || parent === node) roots.push(node)
    else (parent.children ??= []).push(node)
  }
  for (const node of nodes.values()) if (loaded.has(node.key)) node.isLeaf = (node.children?.length ?? 0) === 0
  return roots
}

/** `DC (12)` → `DC`: the count is not part of a node's name. */
export function bareName(name: string): string {
  return name.replace(/\s*\(\d+\)$/, '')
}
