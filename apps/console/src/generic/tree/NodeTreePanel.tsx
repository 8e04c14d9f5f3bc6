import { Dropdown, type MenuProps, Tree } from 'antd'
import { EllipsisIcon } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { inRootOrg, mayAccess } from '../../session/session.ts'
import type { LeftTreeProps } from '../view/list-view.ts'
import { NodeName } from './NodeName.tsx'
import type { TreeItem, TreeNode } from './node-items.ts'
import { baseEntries, type NodeMenuEntry, nodeMenu } from './node-menu.ts'
import { TREE } from './node-paths.ts'
import { TreeFrame } from './TreeFrame.tsx'
import { useNodeChanges } from './use-node-changes.ts'
import { useTreeItems } from './use-tree-items.ts'
import { useWayToChosen } from './use-way-to-chosen.ts'

/** The favourites pseudo node takes no changes. */
const FAVOURITES = '-12'

export interface NodeTreeOptions {
  /** After Create, Rename and Delete. */
  menu?: readonly NodeMenuEntry[]
  /** Lists the assets of a node as leaves. */
  assets?: boolean
  /** Without any menu. */
  readOnly?: boolean
}

/** The tree itself, with its menu. */
export function NodeTreePanel(props: LeftTreeProps & NodeTreeOptions) {
  const { query, setQuery, menu = [], assets = false, readOnly = false } = props
  const [menuOf, setMenuOf] = useState<TreeItem>()
  const tree = useTreeItems(TREE, { assets: assets ? 1 : 0 })
  const changes = useNodeChanges(tree, props)
  useWayToChosen(tree, query)
  const selected = tree.items.find(({ meta }) => meta.data.id === (query.node_id || query.asset_id))
  const writable = !readOnly && !inRootOrg() && mayAccess(['org_admin'])
  const mayChange = (item: TreeItem) => writable && item.meta.type === 'node' && item.id !== FAVOURITES
  const entries = [...baseEntries(changes), ...menu]
  const menuFor = (item: TreeItem | undefined) =>
    nodeMenu(item, entries, { refresh: changes.refresh, query, setQuery }, () => setMenuOf(undefined))
  return (
    <TreeFrame
      top={tree.top}
      onRefresh={changes.refresh}
      tools={
        writable && (
          <ChosenNodeMenu
            isOpenable={selected !== undefined && mayChange(selected)}
            menu={menuFor(selected)}
            chosen={selected}
          />
        )
      }
    >
      <Dropdown
        trigger={['contextMenu']}
        open={menuOf !== undefined}
        onOpenChange={(shown) => shown || setMenuOf(undefined)}
        menu={menuFor(menuOf)}
      >
        <div>
          <Tree<TreeNode>
            blockNode
            treeData={tree.nodes}
            expandedKeys={tree.open}
            selectedKeys={selected ? [selected.id] : []}
            draggable={writable ? { icon: false, nodeDraggable: (node) => (node as TreeNode).item?.pId !== '' } : false}
            titleRender={({ item }) => (
              <NodeName
                item={item}
                isRenaming={changes.renaming === item.meta.data.id}
                onName={(name) => void changes.rename(item, name).catch(() => {})}
                onCancel={() => changes.askName(undefined)}
              />
            )}
            loadData={tree.loadBranch}
            onExpand={(next) => tree.setOpen(next.map(String))}
            onSelect={(_, { node, selected: on }) => {
              const id = on ? node.item.meta.data.id : ''
              setQuery(node.item.meta.type === 'asset' ? { asset_id: id, node_id: '' } : { node_id: id, asset_id: '' })
            }}
            onRightClick={({ node }) => setMenuOf(mayChange(node.item) ? node.item : undefined)}
            onDrop={({ dragNode, node }) => void changes.move(dragNode.item, node.item).catch(() => {})}
          />
        </div>
      </Dropdown>
    </TreeFrame>
  )
}

interface ChosenNodeMenuProps {
  chosen: TreeItem | undefined
  isOpenable: boolean
  menu: MenuProps
}

/** The menu of the right mouse button, for the keyboard and for screens without a mouse. */
function ChosenNodeMenu({ chosen, isOpenable, menu }: ChosenNodeMenuProps) {
  return (
    <Dropdown trigger={['click']} autoFocus disabled={!isOpenable} menu={menu}>
      <button
        type="button"
        className="icon-button"
        disabled={!isOpenable}
        aria-label={t('Actions of the chosen node')}
        title={chosen ? t('Actions of the chosen node') : t('Choose a node first')}
      >
        <EllipsisIcon />
      </button>
    </Dropdown>
  )
}
