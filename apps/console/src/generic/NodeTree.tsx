import type { ComponentType } from 'react'
import type { LeftTreeProps } from './define-pages.ts'
import { lazily } from './lazily.tsx'
import type { TreeItem } from './node-items.ts'

const Panel = lazily<LeftTreeProps & NodeTreeOptions>(() => import('./NodeTreePanel.tsx').then((m) => m.NodeTreePanel))

/** Address keys of the tree, for `treeKeys`. */
export const NODE_TREE_KEYS = ['node_id', 'asset_id', 'show_current_asset'] as const

/** What a menu entry can do. */
export interface NodeMenuContext {
  /** Reads tree and list again. */
  refresh: () => Promise<void>
  query: LeftTreeProps['query']
  setQuery: LeftTreeProps['setQuery']
}

export interface NodeMenuEntry {
  name: string
  /** Marked with `msg`. */
  title: string
  danger?: boolean
  has?: (item: TreeItem, query: LeftTreeProps['query']) => boolean
  run: (item: TreeItem, context: NodeMenuContext) => unknown
}

export interface NodeTreeOptions {
  /** After Create, Rename and Delete. */
  menu?: readonly NodeMenuEntry[]
  /** Lists the assets of a node as leaves. */
  assets?: boolean
  /** Without any menu. */
  readOnly?: boolean
}

/** The tree of nodes beside a list; a chosen node narrows the list to what lies below it. */
export const NodeTree: ComponentType<LeftTreeProps> = nodeTree()

/** A tree of nodes with more in its menu. */
export function nodeTree(options: NodeTreeOptions = {}): ComponentType<LeftTreeProps> {
  return (props) => <Panel {...props} {...options} />
}
