import { FileOutlined, FolderFilled, LinkOutlined, QuestionOutlined } from '@ant-design/icons'
import { type DragEvent, type KeyboardEvent, type MouseEvent, useLayoutEffect, useRef, useState } from 'react'
import { formatDate } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import {
  type Column,
  clicked,
  type Entry,
  keyed,
  modeText,
  NOTHING,
  type Order,
  type Selection,
  sizeText,
} from './entries.ts'

const ROW_PX = 28
/** Lines kept beyond both edges, so that scrolling shows no gaps. */
const SPARE_ROWS = 10

const ICONS = { folder: FolderFilled, file: FileOutlined, link: LinkOutlined, other: QuestionOutlined } as const

export interface FileListProps {
  label: string
  entries: readonly Entry[]
  order: Order
  selection: Selection
  onOrder: (by: Column) => void
  onSelection: (selection: Selection) => void
  onOpen: (entry: Entry) => void
  /** A key that the list itself has no use for; true when it was used. */
  onKey: (key: string) => boolean
  /** The same for a letter with Ctrl. */
  onCommand: (key: string) => boolean
  onDragStart: (event: DragEvent, name: string) => void
  /** The folder that a drop would go into; undefined for this one. */
  onDragOver: (event: DragEvent, folder: string | undefined) => void
  onDrop: (event: DragEvent, folder: string | undefined) => void
  dropFolder: string | undefined
}

/**
 * The lines of a folder: only those in view are drawn, the keys are those of a list box that takes
 * several.
 */
export function FileList(props: FileListProps) {
  const { label, entries, order, selection, onOrder, onSelection, onOpen, onKey } = props
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 600 })
  const names = entries.map(({ name }) => name)
  const at = selection.cursor === undefined ? -1 : names.indexOf(selection.cursor)

  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  useLayoutEffect(() => {
    const element = box.current
    if (!element || at < 0) return
    if (at * ROW_PX < element.scrollTop) element.scrollTop = at * ROW_PX
    else if ((at + 1) * ROW_PX > element.scrollTop + element.clientHeight)
      element.scrollTop = (at + 1) * ROW_PX - element.clientHeight
  }, [at])

  const handleKey = (event: KeyboardEvent) => {
    const entry = entries[at]
    if (event.key === 'Enter' && entry) {
      event.preventDefault()
      onOpen(entry)
      return
    }
    const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey
    if (isCommand ? props.onCommand(event.key.toLowerCase()) : !event.altKey && onKey(event.key))
      return event.preventDefault()
    const next = keyed(selection, names, event)
    if (!next) return
    event.preventDefault()
    onSelection(next)
  }
  const handleClick = (entry: Entry, event: MouseEvent) =>
    onSelection(
      clicked(selection, names, entry.name, { toggle: event.ctrlKey || event.metaKey, range: event.shiftKey }),
    )

  const first = Math.max(0, Math.floor(view.top / ROW_PX) - SPARE_ROWS)
  const last = Math.min(entries.length, Math.ceil((view.top + view.height) / ROW_PX) + SPARE_ROWS)
  const rowId = (index: number) => `${label}-${index}`
  return (
    <div className="fm-table">
      <div className="fm-head">
        <Head by="name" text={t('Name')} order={order} onOrder={onOrder} />
        <Head by="size" text={t('Size')} order={order} onOrder={onOrder} />
        <Head by="modified" text={t('Modified')} order={order} onOrder={onOrder} />
        <Head by="mode" text={t('Rights')} order={order} onOrder={onOrder} />
      </div>
      <div
        className="fm-list"
        ref={box}
        role="listbox"
        aria-multiselectable
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={at >= first && at < last ? rowId(at) : undefined}
        onKeyDown={handleKey}
        onScroll={({ currentTarget }) => setView({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })}
        onContextMenu={(event) => {
          // A right click beside the files is for the folder.
          if (!(event.target as Element).closest('[role=option]')) onSelection({ ...NOTHING, cursor: selection.cursor })
        }}
        onDragOver={(event) => props.onDragOver(event, undefined)}
        onDrop={(event) => props.onDrop(event, undefined)}
      >
        <div className="fm-all" style={{ height: entries.length * ROW_PX }}>
          {entries.slice(first, last).map((entry, index) => {
            const { name, kind, size, modified, mode } = entry
            const Icon = ICONS[kind]
            const isChosen = selection.chosen.has(name)
            const isFolder = kind === 'folder'
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the list itself takes the keys, as its pattern asks
              // biome-ignore lint/a11y/useFocusableInteractive: focus stays on the list, which names the active line
              <div
                key={name}
                id={rowId(first + index)}
                role="option"
                aria-selected={isChosen}
                className={`fm-row${first + index === at ? ' fm-row-current' : ''}${isFolder && props.dropFolder === name ? ' fm-drop' : ''}`}
                style={{ top: (first + index) * ROW_PX }}
                title={name}
                draggable
                onClick={(event) => handleClick(entry, event)}
                onDoubleClick={() => onOpen(entry)}
                onContextMenu={() => {
                  if (!isChosen) onSelection(clicked(selection, names, name))
                }}
                onDragStart={(event) => {
                  if (!isChosen) onSelection(clicked(selection, names, name))
                  props.onDragStart(event, name)
                }}
                {...(isFolder
                  ? {
                      onDragOver: (event: DragEvent) => props.onDragOver(event, name),
                      onDrop: (event: DragEvent) => props.onDrop(event, name),
                    }
                  : {})}
              >
                <span className="fm-name">
                  <Icon className={`fm-${kind}`} aria-label={KIND_TEXT[kind]()} /> {name}
                </span>
                <span className="fm-size">{isFolder ? '' : sizeText(size)}</span>
                <span className="fm-time">{modified ? formatDate(modified * 1000) : ''}</span>
                <span className="fm-mode">{modeText(mode)}</span>
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

export const KIND_TEXT: Readonly<Record<Entry['kind'], () => string>> = {
  folder: () => t('Folder'),
  file: () => t('File'),
  link: () => t('Link@@file'),
  other: () => t('Special file'),
}

function Head({ by, text, order, onOrder }: { by: Column; text: string; order: Order; onOrder: (by: Column) => void }) {
  const isBy = order.by === by
  return (
    <button
      type="button"
      className={`fm-${by === 'modified' ? 'time' : by}`}
      aria-pressed={isBy}
      onClick={() => onOrder(by)}
    >
      {text}
      {isBy && <span aria-hidden="true">{order.down ? ' ↓' : ' ↑'}</span>}
    </button>
  )
}
