import { ChevronRightIcon } from 'lucide-react'
import {
  type CSSProperties,
  type DragEvent,
  type KeyboardEvent,
  type ReactNode,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { t } from '../../lib/i18n.ts'
import { useLinesInView } from '../rows/use-lines-in-view.ts'
import { bareName, countIn, type TreeItem, type TreeRow } from './node-items.ts'

/** Letters typed within this time look for one name. */
const TYPING_MS = 700

export type Ticked = boolean | 'partly'

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
  /** In a tree of which several items are chosen: whether this one is, or some below it are. */
  tickOf?: (item: TreeItem) => Ticked
  /** Shown in place of an item's name. */
  insteadOfName?: (item: TreeItem) => ReactNode
  canDrag?: (item: TreeItem) => boolean
  onDrop?: (dragged: TreeItem, target: TreeItem) => void
}

/**
 * A tree of nodes, one stop of the Tab key: arrows move, unfold and fold, letters look for a name,
 * Enter chooses (WAI-ARIA, tree view pattern). A node may hold thousands of machines: only the
 * lines in view exist, and the one that the keyboard is on.
 */
export function Tree(props: TreeProps) {
  const { label, rows, reading, chosen, onChoose, onToggle, onMenu, tickOf, insteadOfName, ...drag } = props
  const box = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<string>()
  const stop = stopOf(rows, [focused, chosen?.id])
  const focusLine = useFocusLine(box, (at) => setFocused(rows[at]?.item.id))
  const handleKeyDown = useTreeKeys(rows, { onChoose, onToggle, focusLine })
  const dragging = useDragging(drag)
  const { first, last } = useLinesInView(box, rows.length)
  const drawn = rows.slice(first, last).map((row, index) => ({ row, at: first + index }))
  const kept = rows[stop]
  if (kept && (stop < first || stop >= last)) drawn[stop < first ? 'unshift' : 'push']({ row: kept, at: stop })
  return (
    <div
      ref={box}
      className="tree"
      role="tree"
      aria-label={label}
      aria-multiselectable={tickOf !== undefined || undefined}
      style={{ '--lines': rows.length } as CSSProperties}
      onKeyDown={handleKeyDown}
    >
      {drawn.map(({ row: { item, level, isOpen, isLeaf, place, siblings }, at }) => {
        const instead = insteadOfName?.(item)
        const ticked = tickOf?.(item)
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the tree itself takes the keys, as its pattern asks
          <div
            key={item.id}
            role="treeitem"
            className="tree-line"
            data-at={at}
            style={{ '--at': at, paddingInlineStart: 4 + (level - 1) * 16 } as CSSProperties}
            tabIndex={at === stop ? 0 : -1}
            aria-level={level}
            aria-posinset={place}
            aria-setsize={siblings}
            aria-selected={ticked === undefined ? item === chosen : undefined}
            aria-checked={ticked === 'partly' ? 'mixed' : ticked}
            aria-expanded={isLeaf ? undefined : isOpen}
            aria-busy={reading.has(item.id) || undefined}
            title={instead ? undefined : item.title}
            onFocus={({ currentTarget }) => {
              setFocused(item.id)
              tellWhatIsCut(currentTarget, rows, at)
            }}
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
            {ticked !== undefined && <TickBox ticked={ticked} />}
            {instead || <NodeName item={item} />}
          </div>
        )
      })}
    </div>
  )
}

/** Where a node stands, for the style sheet to show while the keyboard is on a name that has no room. */
function tellWhatIsCut(line: HTMLElement, rows: readonly TreeRow[], at: number): void {
  const name = line.querySelector('.tree-name')
  if (!name || name.scrollWidth <= name.clientWidth) {
    line.removeAttribute('data-cut')
    return
  }
  let level = Number.POSITIVE_INFINITY
  const way: string[] = []
  for (const row of rows.slice(0, at + 1).toReversed()) {
    if (row.level >= level) continue
    level = row.level
    way.unshift(bareName(row.item.name))
  }
  line.dataset.cut = way.join(' / ')
}

/** The line that the Tab key comes to: the first of these that is there, else the first of all. */
function stopOf(rows: readonly TreeRow[], ids: readonly (string | undefined)[]): number {
  for (const id of ids) {
    const at = id === undefined ? -1 : rows.findIndex(({ item }) => item.id === id)
    if (at >= 0) return at
  }
  return 0
}

/** Moves the focus to a line, which is drawn for that if it is out of view; the browser scrolls to it. */
function useFocusLine(box: { current: HTMLElement | null }, onMove: (at: number) => void) {
  const wanted = useRef<number>(undefined)
  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    const line = box.current?.querySelector<HTMLElement>(`[data-at="${wanted.current}"]`)
    wanted.current = undefined
    line?.focus()
  })
  return (at: number) => {
    wanted.current = at
    onMove(at)
  }
}

/** The line is what is ticked; the box only shows it. */
function TickBox({ ticked }: { ticked: Ticked }) {
  const box = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (box.current) box.current.indeterminate = ticked === 'partly'
  }, [ticked])
  return (
    <input
      ref={box}
      type="checkbox"
      className="tick tree-tick"
      checked={ticked === true}
      readOnly
      tabIndex={-1}
      aria-hidden="true"
    />
  )
}

function NodeName({ item }: { item: TreeItem }) {
  const count = countIn(item)
  if (count === undefined) return <span className="tree-name">{item.name}</span>
  return (
    <>
      <span className="tree-name">{bareName(item.name)}</span>{' '}
      <span
        className="tree-count"
        title={item.meta.type === 'node' ? t('{{count}} assets', { count: Number(count) }) : undefined}
      >
        {count}
      </span>
    </>
  )
}

/** The keys of the tree view pattern. */
function useTreeKeys(
  rows: readonly TreeRow[],
  { onChoose, onToggle, focusLine }: Pick<TreeProps, 'onChoose' | 'onToggle'> & { focusLine: (at: number) => void },
) {
  const typed = useRef({ text: '', at: 0 })
  return (event: KeyboardEvent<HTMLElement>) => {
    // Other keys are those of a box inside of a line.
    const at = Number((event.target as HTMLElement).dataset.at ?? -1)
    const row = rows[at]
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return
    const handle = (work: () => void) => {
      event.preventDefault()
      work()
    }
    const next = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: rows.length - 1 }[event.key]
    if (next !== undefined) handle(() => focusLine((next + rows.length) % rows.length))
    else if (event.key === 'Enter' || event.key === ' ') handle(() => onChoose(row.item))
    else if (event.key === 'ArrowRight')
      handle(() => {
        if (row.isOpen) focusLine(at + 1)
        else if (!row.isLeaf) onToggle(row.item)
      })
    else if (event.key === 'ArrowLeft')
      handle(() => {
        if (row.isOpen) onToggle(row.item)
        else if (row.level > 1) focusLine(rows.findLastIndex(({ level }, index) => index < at && level < row.level))
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
        if (found !== undefined) focusLine(found)
      })
  }
}

/** The handlers that let a line be dragged onto another. */
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
