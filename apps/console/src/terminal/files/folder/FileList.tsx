import { visibleName } from '@sallyport/contract/names.ts'
import { FileIcon, FileQuestionMarkIcon, FolderIcon, LinkIcon } from 'lucide-react'
import { type DragEvent, type KeyboardEvent, type MouseEvent, useRef } from 'react'
import { formatDate } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { useRowsInView } from '../../grid/use-rows-in-view.ts'
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

const ICONS = { folder: FolderIcon, file: FileIcon, link: LinkIcon, other: FileQuestionMarkIcon } as const

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
  const names = entries.map(({ name }) => name)
  const at = selection.cursor === undefined ? -1 : names.indexOf(selection.cursor)
  const { first, last, handleScroll } = useRowsInView(box, { count: entries.length, height: ROW_PX, cursor: at })

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
  const rowId = (index: number) => `${label}-${index}`
  return (
    <div className="fm-table">
      <div className="fm-head">
        <Head by="name" text={t('Name')} order={order} onOrder={onOrder} />
        <Head by="size" text={t('Size')} order={order} onOrder={onOrder} />
        <Head by="modified" text={t('Modified')} order={order} onOrder={onOrder} />
        <Head by="mode" text={t('Permissions@@file')} order={order} onOrder={onOrder} />
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
        onScroll={handleScroll}
        onContextMenu={(event) => {
          // A right click beside the files is for the folder. The menu key, which no button of the mouse
          // was pressed for, is for what is chosen; nor is one for a finger that rests.
          const { pointerType } = event.nativeEvent as PointerEvent
          const isKey = event.button === 0 && !event.ctrlKey && pointerType !== 'touch'
          if (!isKey && !(event.target as Element).closest('[role=option]'))
            onSelection({ ...NOTHING, cursor: selection.cursor })
        }}
        onDragOver={(event) => props.onDragOver(event, undefined)}
        onDrop={(event) => props.onDrop(event, undefined)}
      >
        <div className="fm-all" style={{ height: entries.length * ROW_PX }}>
          {entries.slice(first, last).map((entry, index) => (
            <FileRow
              key={entry.name}
              {...rowHandlers(props, names, entry)}
              id={rowId(first + index)}
              entry={entry}
              top={(first + index) * ROW_PX}
              isChosen={selection.chosen.has(entry.name)}
              isCurrent={first + index === at}
              isDropTarget={props.dropFolder === entry.name}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

/** What mouse and pointer do on the line of `entry`, one of `names`. */
function rowHandlers(props: FileListProps, names: readonly string[], entry: Entry) {
  const { selection, onSelection, onOpen } = props
  const { name } = entry
  const chooseAlone = () => {
    if (!selection.chosen.has(name)) onSelection(clicked(selection, names, name))
  }
  return {
    onClick: (event: MouseEvent) =>
      onSelection(clicked(selection, names, name, { toggle: event.ctrlKey || event.metaKey, range: event.shiftKey })),
    onDoubleClick: () => onOpen(entry),
    onContextMenu: chooseAlone,
    onDragStart: (event: DragEvent) => {
      chooseAlone()
      props.onDragStart(event, name)
    },
    onDragOver: (event: DragEvent) => props.onDragOver(event, name),
    onDrop: (event: DragEvent) => props.onDrop(event, name),
  }
}

interface FileRowProps {
  id: string
  entry: Entry
  /** Pixels from the top of the list. */
  top: number
  isChosen: boolean
  isCurrent: boolean
  isDropTarget: boolean
  onClick: (event: MouseEvent) => void
  onDoubleClick: () => void
  onContextMenu: () => void
  onDragStart: (event: DragEvent) => void
  /** For folders only. */
  onDragOver: (event: DragEvent) => void
  onDrop: (event: DragEvent) => void
}

function FileRow({ entry, top, isChosen, isCurrent, isDropTarget, onDragOver, onDrop, ...row }: FileRowProps) {
  const { name, kind, size, modified, mode } = entry
  const Icon = ICONS[kind]
  const isFolder = kind === 'folder'
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: focus and keys stay on the list, which names the active line
    <div
      {...row}
      role="option"
      aria-selected={isChosen}
      className={`fm-row${isCurrent ? ' fm-row-current' : ''}${isFolder && isDropTarget ? ' fm-drop' : ''}`}
      style={{ top }}
      title={visibleName(name)}
      draggable
      {...(isFolder ? { onDragOver, onDrop } : {})}
    >
      <span className="fm-name">
        <Icon className={`fm-${kind}`} aria-label={KIND_TEXT[kind]()} /> {visibleName(name)}
      </span>
      <span className="fm-size">{isFolder ? '' : sizeText(size)}</span>
      <span className="fm-time">{modified ? formatDate(modified * 1000) : ''}</span>
      <span className="fm-mode">{modeText(mode)}</span>
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
