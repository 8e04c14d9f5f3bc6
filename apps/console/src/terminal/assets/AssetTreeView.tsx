import {
  AppWindowIcon,
  ChevronDownIcon,
  ChevronRightIcon,
  DatabaseIcon,
  FolderIcon,
  FolderOpenIcon,
  LoaderCircleIcon,
  MonitorIcon,
  StarIcon,
  TerminalIcon,
} from 'lucide-react'
import { type KeyboardEvent, type MouseEvent, type ReactNode, useId, useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { useRowsInView } from '../grid/use-rows-in-view.ts'
import { FAVORITE_KEY, type TreeItem, type TreeRow, treeKey } from './asset-tree.ts'

const ROW_PX = 26
const CLICK_PAUSE_MS = 300

export interface AssetTreeViewProps {
  rows: readonly TreeRow[]
  label: string
  /** Icon of an item; as in a tree of assets, unless given. */
  iconOf?: (item: TreeItem) => ReactNode
  onOpen: (key: string) => void
  onClose: (key: string) => void
  /** A person chose an asset. */
  onChoose: (item: TreeItem) => void
  /** A right click, or the menu key; undefined outside any row. */
  onMenu: (row: TreeRow | undefined, event: MouseEvent<HTMLElement>) => void
}

/**
 * The tree as a list of lines, of which only those in view exist: a folder may hold ten thousand
 * assets.
 */
export function AssetTreeView({ rows, label, iconOf, onOpen, onClose, onChoose, onMenu }: AssetTreeViewProps) {
  const box = useRef<HTMLDivElement>(null)
  // A page has several trees, and each says which of its own lines the keys are at.
  const id = useId()
  const lastClick = useRef(0)
  const [current, setCurrent] = useState<string>()
  const at = rows.findIndex(({ key }) => key === current)
  const { first, last, handleScroll } = useRowsInView(box, { count: rows.length, height: ROW_PX, cursor: at })

  const choose = ({ item, open }: TreeRow) => {
    if (item.isParent) return open ? onClose(item.id) : onOpen(item.id)
    // The first click of a double click counts.
    if (Date.now() - lastClick.current < CLICK_PAUSE_MS) return
    lastClick.current = Date.now()
    onChoose(item)
  }

  const handleKey = (event: KeyboardEvent) => {
    const row = rows[at]
    if ((event.key === 'Enter' || event.key === ' ') && row) {
      event.preventDefault()
      choose(row)
      return
    }
    const move = treeKey(rows, current, event.key)
    if (!move) return
    event.preventDefault()
    if ('to' in move) setCurrent(move.to)
    else if ('open' in move) onOpen(move.open)
    else onClose(move.close)
  }

  return (
    <div
      className="wt-tree"
      ref={box}
      role="tree"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={at >= first && at < last ? `${id}-${at}` : undefined}
      onKeyDown={handleKey}
      onFocus={() => {
        if (at < 0) setCurrent(rows[0]?.key)
      }}
      onScroll={handleScroll}
      onContextMenu={(event) => {
        // A right click on a line is the line's own; the menu key comes to the tree.
        if (event.target === event.currentTarget) onMenu(rows[at], event)
      }}
    >
      <div className="wt-tree-all" style={{ height: rows.length * ROW_PX }}>
        {rows.slice(first, last).map((row, index) => (
          <TreeLine
            key={row.key}
            id={`${id}-${first + index}`}
            row={row}
            icon={iconOf?.(row.item)}
            at={first + index}
            isCurrent={row.key === current}
            onClick={() => {
              setCurrent(row.key)
              choose(row)
            }}
            onContextMenu={(event) => {
              setCurrent(row.key)
              onMenu(row, event)
            }}
          />
        ))}
      </div>
    </div>
  )
}

interface TreeLineProps {
  id: string
  row: TreeRow
  icon: ReactNode
  /** Its place among all lines. */
  at: number
  isCurrent: boolean
  onClick: () => void
  onContextMenu: (event: MouseEvent<HTMLElement>) => void
}

function TreeLine({ id, row, icon, at, isCurrent, onClick, onContextMenu }: TreeLineProps) {
  const { item, depth, open } = row
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree itself takes the keys, as its pattern asks
    // biome-ignore lint/a11y/useFocusableInteractive: focus stays on the tree, which names the active line
    <div
      id={id}
      className={`wt-row${isCurrent ? ' wt-row-current' : ''}${item.chkDisabled ? ' wt-row-inactive' : ''}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isCurrent}
      aria-disabled={item.chkDisabled || undefined}
      aria-expanded={item.isParent ? open : undefined}
      title={item.isParent ? item.name : `${item.name} ${item.title}`}
      style={{ top: at * ROW_PX, paddingInlineStart: 6 + depth * 14 }}
      onClick={onClick}
      onContextMenu={onContextMenu}
    >
      <span className="wt-row-icon" aria-hidden="true">
        <RowIcon row={row} icon={icon} />
      </span>
      <span className="wt-row-name">{item.id === FAVORITE_KEY ? t('Favorite') : item.name}</span>
    </div>
  )
}

/** As the server has it of assets and applications. */
const ICONS = new Map([
  ['windows', AppWindowIcon],
  ['linux', TerminalIcon],
  ['database', DatabaseIcon],
  ['chrome', AppWindowIcon],
])

function RowIcon({ row: { item, open, loading }, icon }: { row: TreeRow; icon: ReactNode }) {
  if (loading) return <LoaderCircleIcon />
  if (item.isParent) {
    const Folder = item.id === FAVORITE_KEY ? StarIcon : open ? FolderOpenIcon : FolderIcon
    return (
      <>
        {open ? <ChevronDownIcon className="wt-caret" /> : <ChevronRightIcon className="wt-caret" />}
        {icon ?? <Folder />}
      </>
    )
  }
  // Below the name of what it is in, not before that.
  if (icon) return <span className="wt-row-icon wt-leaf">{icon}</span>
  const Icon = ICONS.get(item.iconSkin ?? '') ?? MonitorIcon
  return <Icon className="wt-leaf" />
}
