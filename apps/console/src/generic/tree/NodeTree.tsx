import { EllipsisIcon } from 'lucide-react'
import { type ComponentType, useState } from 'react'
import { useNavigate } from 'react-router'
import { useMenu } from '../../design/popups/menu.tsx'
import { t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { inRootOrg, mayAccess } from '../../session/session.ts'
import { FindBox, type Finding } from '../find/FindBox.tsx'
import type { LeftTreeProps } from '../view/list-view.ts'
import { findNodes } from './find-nodes.tsx'
import { NameBox } from './NameBox.tsx'
import { bareName, type TreeItem } from './node-items.ts'
import { baseEntries, type NodeMenuEntry, nodeMenu } from './node-menu.ts'
import { TREE } from './node-paths.ts'
import { Tree } from './Tree.tsx'
import { TreeFrame } from './TreeFrame.tsx'
import { useNodeChanges } from './use-node-changes.ts'
import { useTreeItems } from './use-tree-items.ts'
import { useWayToChosen } from './use-way-to-chosen.ts'

/** Address keys of the tree, for `treeKeys`. */
export const NODE_TREE_KEYS = ['node_id', 'asset_id', 'show_current_asset'] as const

/** The favorites pseudo node takes no changes. */
const FAVORITES = '-12'

export interface NodeTreeOptions {
  /** After Create, Rename and Delete. */
  menu?: readonly NodeMenuEntry[]
  /** Lists the assets of a node as leaves; a chosen one narrows the list. */
  assets?: boolean
  /** The page of a machine that the search found; without it and without `assets` none are looked for. */
  assetPage?: string
  /** Without any menu. */
  readOnly?: boolean
}

/** The tree of nodes beside a list; a chosen node narrows the list to what lies below it. */
export const NodeTree: ComponentType<LeftTreeProps> = nodeTree()

/** A tree of nodes with more in its menu. */
export function nodeTree(options: NodeTreeOptions = {}): ComponentType<LeftTreeProps> {
  return (props) => <NodeTreePanel {...props} {...options} />
}

/** The tree itself, with its menu. */
function NodeTreePanel(props: LeftTreeProps & NodeTreeOptions) {
  const { query, setQuery, onHide, menu = [], assets = false, assetPage, readOnly = false } = props
  const [menuOf, setMenuOf] = useState<TreeItem>()
  const navigate = useNavigate()
  const tree = useTreeItems(TREE, { assets: assets ? 1 : 0 })
  const changes = useNodeChanges(tree, props)
  useWayToChosen(tree, query)
  const chosen = tree.items.find(({ meta }) => meta.data.id === (query.node_id || query.asset_id))
  const writable = !readOnly && !inRootOrg() && mayAccess(['org_admin'])
  const mayChange = (item: TreeItem) => writable && item.meta.type === 'node' && item.id !== FAVORITES
  const entries = [...baseEntries(changes), ...menu]
  const menuFor = (item: TreeItem | undefined) => nodeMenu(item, entries, { refresh: changes.refresh, query, setQuery })
  const lineMenu = useMenu(menuFor(menuOf))
  const choose = (kind: string, id: string) =>
    setQuery(kind === 'asset' ? { asset_id: id, node_id: '' } : { node_id: id, asset_id: '' })
  const chooseFound = ({ kind, id }: Finding) => {
    const page = kind === 'asset' && assetPage ? addressOf(assetPage, { id }) : undefined
    page ? void navigate(page) : choose(kind ?? 'node', id)
  }
  return (
    <TreeFrame
      top={tree.top}
      chosen={chosen}
      onRefresh={changes.refresh}
      onHide={onHide}
      search={
        <FindBox
          label={t('Find in the tree')}
          name={TREE}
          find={(words, signal) => findNodes(words, assets || assetPage !== undefined, signal)}
          onChoose={chooseFound}
        />
      }
      tools={
        writable && (
          <ChosenNodeMenu isOpenable={chosen !== undefined && mayChange(chosen)} chosen={chosen} {...menuFor(chosen)} />
        )
      }
    >
      <Tree
        label={t('Nodes')}
        rows={tree.rows}
        reading={tree.reading}
        chosen={chosen}
        // Choosing what is chosen shows everything again.
        onChoose={(item) => choose(item.meta.type, item === chosen ? '' : item.meta.data.id)}
        onToggle={(item) => void tree.toggle(item)}
        onMenu={(item, line) => {
          setMenuOf(item)
          if (mayChange(item)) lineMenu.open(line)
        }}
        insteadOfName={(item) =>
          changes.renaming === item.meta.data.id && (
            <NameBox
              name={bareName(item.name)}
              onName={(name) => void changes.rename(item, name).catch(() => {})}
              onCancel={() => changes.askName(undefined)}
            />
          )
        }
        {...(writable && {
          canDrag: (item) => item.pId !== '' && mayChange(item),
          onDrop: (dragged, target) => void changes.move(dragged, target).catch(() => {}),
        })}
      />
      {lineMenu.popup}
    </TreeFrame>
  )
}

interface ChosenNodeMenuProps extends ReturnType<typeof nodeMenu> {
  chosen: TreeItem | undefined
  isOpenable: boolean
}

/** The menu of the right mouse button, for the keyboard and for screens without a mouse. */
function ChosenNodeMenu({ chosen, isOpenable, items, onChoose }: ChosenNodeMenuProps) {
  const { trigger, popup } = useMenu({ items, onChoose })
  return (
    <>
      <button
        {...trigger}
        type="button"
        className="icon-button"
        disabled={!isOpenable}
        aria-label={t('Actions of the chosen node')}
        title={chosen ? t('Actions of the chosen node') : t('Choose a node first')}
      >
        <EllipsisIcon />
      </button>
      {popup}
    </>
  )
}
