import type { ComponentType } from 'react'
import { lazily } from '../../design/lazily.tsx'
import type { LeftTreeProps } from '../view/list-view.ts'
import type { NodeTreeOptions } from './NodeTreePanel.tsx'

const Panel = lazily(() => import('./NodeTreePanel.tsx').then((m) => m.NodeTreePanel))

/** Address keys of the tree, for `treeKeys`. */
export const NODE_TREE_KEYS = ['node_id', 'asset_id', 'show_current_asset'] as const

/** The tree of nodes beside a list; a chosen node narrows the list to what lies below it. */
export const NodeTree: ComponentType<LeftTreeProps> = nodeTree()

/** A tree of nodes with more in its menu. */
export function nodeTree(options: NodeTreeOptions = {}): ComponentType<LeftTreeProps> {
  return (props) => <Panel {...props} {...options} />
}
