import { ChevronRightIcon } from 'lucide-react'
import { type DragEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { moveFocus } from '../../design/move-focus.ts'
import { t } from '../../lib/i18n.ts'
import { bareName, countIn, type TreeItem, type TreeRow } from './node-items.ts'

/** Letters typed within this time look for one name. */
const TYPING_MS = 700

export interface TreeProps {
  label: string
  rows: readonly TreeRow[]
  /** Ids of the items whose children are on their way. */
  reading: ReadonlySet<string>
  chosen: TreeItem | undefined
  onChoose: (item: TreeItem) => void
  /** Unfold it, or fold it. */
  onToggle: (item: TreeItem) => void
  /** The right mouse button, or the menu key. */
  onMenu?: (item: TreeItem, line: HTMLElement) => void
  /** What stands in the place of an item's name, if anything else does. */
  insteadOfName?: (item: TreeItem) => ReactNode
  canDrag?: (item: TreeItem) => boolean
  onDrop?: (dragged: TreeItem, target: TreeItem) => void
}

/**
 * A tree of nodes, one stop of the Tab key: arrows move, unfold and fold, letters look for a name,
 * Enter chooses (WAI-ARIA, tree view pattern).
 */
export function Tree({ label, rows, reading, chosen, onChoose, onToggle, onMenu, insteadOfName, ...drag }: TreeProps) {
  const box = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<string>()
  const handleKeyDown = useTreeKeys(box, rows, { onChoose, onToggle })
  const dragging = useDragging(drag)
  const stop = [focused, chosen?.id].find((id) => rows.some(({ item }) => item.id === id)) ?? rows[0]?.item.id
  return (
    <div ref={box} className="tree" role="tree" aria-label={label} onKeyDown={handleKeyDown}>
      {rows.map(({ item, level, isOpen, isLeaf }) => {
        const instead = insteadOfName?.(item)
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the tree itself takes the keys, as its pattern asks
          <div
            key={item.id}
            role="treeitem"
            className="tree-line"
            style={{ paddingInlineStart: 4 + (level - 1) * 16 }}
            tabIndex={item.id === stop ? 0 : -1}
            aria-level={level}
            aria-selected={item === chosen}
            aria-expanded={isLeaf ? undefined : isOpen}
            aria-busy={reading.has(item.id) || undefined}
            title={instead ? undefined : item.title}
            onFocus={() => setFocused(item.id)}
            onClick={() => onChoose(item)}
            onContextMenu={(event) => {
              if (!onMenu) return
              event.preventDefault()
              onMenu(item, event.currentTarget)
            }}
            {...dragging(item)}
          >
            <span
              className={isOpen ? 'tree-caret open' : 'tree-caret'}
              aria-hidden="true"
              onClick={(event) => {
                if (isLeaf) return
                event.stopPropagation()
                onToggle(item)
              }}
            >
              {!isLeaf && <ChevronRightIcon />}
            </span>
            {instead || <NodeName item={item} />}
          </div>
        )
      })}
    </div>
  )
}

function NodeName({ item }: { item: TreeItem }) {
  const count = countIn(item)
  if (count === undefined) return <span className="tree-name">{item.name}</span>
  return (
    <>
      <span className="tree-name">{bareName(item.name)}</span>{' '}
      <span className="tree-count" title={t('{{count}} assets', { count: Number(count) })}>
        {count}
      </span>
    </>
  )
}

/** The keys of the tree view pattern. */
function useTreeKeys(
  box: { current: HTMLElement | null },
  rows: readonly TreeRow[],
  { onChoose, onToggle }: Pick<TreeProps, 'onChoose' | 'onToggle'>,
) {
  const typed = useRef({ text: '', at: 0 })
  return (event: KeyboardEvent<HTMLElement>) => {
    const lines = [...(box.current?.querySelectorAll<HTMLElement>(':scope > [role=treeitem]') ?? [])]
    const at = lines.indexOf(event.target as HTMLElement)
    const row = rows[at]
    // Other keys are those of a box inside of a line.
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return
    if (moveFocus(event, lines)) return
    const handle = (work: () => void) => {
      event.preventDefault()
      work()
    }
    if (event.key === 'Enter' || event.key === ' ') handle(() => onChoose(row.item))
    else if (event.key === 'ArrowRight')
      handle(() => {
        if (row.isOpen) lines[at + 1]?.focus()
        else if (!row.isLeaf) onToggle(row.item)
      })
    else if (event.key === 'ArrowLeft')
      handle(() => {
        if (row.isOpen) onToggle(row.item)
        else lines[rows.findLastIndex(({ level }, index) => index < at && level < row.level)]?.focus()
      })
    else if (event.key.length === 1)
      handle(() => {
        const now = event.timeStamp
        const text = (now - typed.current.at < TYPING_MS ? typed.current.text : '') + event.key.toLowerCase()
        typed.current = { text, at: now }
        // A first letter goes on to the next of that name, further ones may stay.
        const from = text.length === 1 ? at + 1 : at
        const order = [...rows.keys()].map((index) => (index + from) % rows.length)
        const found = order.find((index) => rows[index]?.item.name.toLowerCase().startsWith(text))
        if (found !== undefined) lines[found]?.focus()
      })
  }
}

/** What a line needs to be dragged onto another. */
function useDragging({ canDrag, onDrop }: Pick<TreeProps, 'canDrag' | 'onDrop'>) {
  const [dragged, setDragged] = useState<TreeItem>()
  const [over, setOver] = useState<string>()
  const end = () => {
    setDragged(undefined)
    setOver(undefined)
  }
  return (item: TreeItem) => {
    if (!onDrop) return {}
    const takes = dragged !== undefined && dragged.id !== item.id
    return {
      draggable: canDrag?.(item) ?? true,
      'data-drop': over === item.id || undefined,
      onDragStart: (event: DragEvent) => {
        // Some browsers drag nothing without it.
        event.dataTransfer.setData('text/plain', bareName(item.name))
        setDragged(item)
      },
      onDragEnd: end,
      onDragOver: (event: DragEvent) => {
        if (!takes) return
        event.preventDefault()
        setOver(item.id)
      },
      onDragLeave: () => setOver(undefined),
      onDrop: (event: DragEvent) => {
        event.preventDefault()
        end()
        if (takes) onDrop(dragged, item)
      },
    }
  }
}
