import { Tree } from 'antd'
import type { TreeNode } from '../../generic/tree/node-items.ts'
import { TreeFrame } from '../../generic/tree/TreeFrame.tsx'
import { useTreeItems } from '../../generic/tree/use-tree-items.ts'

export interface GrantedTreeProps {
  /** `/api/v1/perms/users/`, `/api/v1/perms/users/{id}/` or `/api/v1/perms/user-groups/{id}/`. */
  prefix: string
  /** What stands between `nodes/` and `/assets/` for the chosen node; empty for all. */
  chosen: string
  onChoose: (node: string) => void
}

/**
 * The nodes in which somebody was granted something. Choosing the chosen node again shows
 * everything.
 */
export function GrantedTreePanel({ prefix, chosen, onChoose }: GrantedTreeProps) {
  const { top, items, nodes, open, setOpen, loadBranch, startAgain } = useTreeItems(`${prefix}nodes/children/tree/`)
  const selected = items.find((item) => item.meta.data.id === chosen)
  return (
    <TreeFrame top={top} onRefresh={startAgain}>
      {/* Mounted with its nodes: what comes later would be unfolded with a movement. */}
      {top.data && (
        <Tree<TreeNode>
          blockNode
          motion={false}
          treeData={nodes}
          expandedKeys={open}
          selectedKeys={selected ? [selected.id] : []}
          titleRender={({ item }) => <span title={item.title}>{item.name}</span>}
          loadData={loadBranch}
          onExpand={(next) => setOpen(next.map(String))}
          onSelect={(_, { node, selected: on }) => onChoose(on ? node.item.meta.data.id : '')}
        />
      )}
    </TreeFrame>
  )
}
