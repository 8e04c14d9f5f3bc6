import './grid.css'
import { EXPORT_FORMATS, type ExportFormat } from '@sallyport/contract/socket/workbench.ts'
import { DownloadIcon } from 'lucide-react'
import { useId, useMemo, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { SearchInput } from '../../design/inputs/SearchInput.tsx'
import { Popover } from '../../design/popups/Popover.tsx'
import { t } from '../../lib/i18n.ts'
import { CellViewer } from './CellViewer.tsx'
import { GridHeads } from './GridHeads.tsx'
import { cellId, useGridKeys } from './grid-keys.ts'
import type { ResultView, Row } from './result-view.ts'
import { columnWidth, shownRows, textOf } from './rows-shown.ts'
import { nextSorting, type Sorting } from './sorting.ts'
import { type RowsWanted, useRowWindow } from './use-row-window.ts'
import type { ValueEdit } from './value-edit.ts'
import { WindowBar, type WindowBarProps } from './WindowBar.tsx'

const ROW_PX = 26
/** Characters of a value that are in its cell. */
const CELL_CHARACTERS = 200

export interface ResultGridProps {
  result: ResultView
  onMore: () => void
  /** Those behind are wanted in place of those that are loaded; unless given, there is no way to them. */
  onMoveOn?: () => void
  /** Rows that came before are wanted; unless given, they can not be had. */
  onAgain?: ((wanted: RowsWanted) => void) | undefined
  /** Rows from one on are wanted in place of those that are loaded; given with `onAgain`. */
  onMoveTo?: ((from: number) => void) | undefined
  /** Whether nothing else runs. */
  mayExport?: boolean
  /** A file is on its way. */
  isExporting?: boolean
  /** Unless given, there is nothing to be had as a file. */
  onExport?: ((format: ExportFormat) => void) | undefined
  /** What changes a value; unless given, none can be. */
  onEdit?: ((cell: { at: number; column: number; row: Row }) => ValueEdit) | undefined
}

/** The rows of a result, of which only those in view are drawn; more come as somebody scrolls. */
export function ResultGrid(props: ResultGridProps) {
  const { result, onMore, onMoveOn, onAgain, onMoveTo, onExport, onEdit } = props
  const { mayExport = false, isExporting = false } = props
  const { columns, rows, before = 0 } = result
  const box = useRef<HTMLDivElement>(null)
  const id = useId()
  const [filter, setFilter] = useState('')
  const [sorting, setSorting] = useState<Sorting>()
  const [chosen, setChosen] = useState<{ at: number; column: number; row: Row }>()
  const isNumber = sorting ? columns[sorting.column]?.isNumber === true : false
  const shown = useMemo(() => shownRows(rows, { filter, sorting, isNumber }), [rows, filter, sorting, isNumber])
  const hasRows = rows.length > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: as the first rows have it, not again with each page
  const widths = useMemo(() => columns.map(({ name }, at) => columnWidth(name, rows, at)), [columns, hasRows])
  const [isLoadingOn, setLoadingOn] = useState(false)
  const { first, last, handleScroll } = useRowWindow(box, {
    ...{ result, count: shown.length, height: ROW_PX, isLoadingOn, onMore, onAgain },
    ...{ isInOrder: !filter && !sorting, isFiltered: filter !== '' },
  })
  // Where somebody goes, all rows are shown as they came.
  const moved = (go: () => void) => {
    setFilter('')
    setSorting(undefined)
    go()
  }

  const choose = (row: Row | undefined, column: number) => {
    if (row) setChosen({ at: before + rows.indexOf(row), column, row })
  }
  const { cursor, moveTo, handleKey } = useGridKeys(box, {
    before,
    rows: shown.length,
    columns: columns.length,
    height: ROW_PX,
    onOpen: (row, column) => choose(shown[row], column),
  })
  const template = widths.map((width) => `${width}px`).join(' ')
  const heads = columns.map(({ name, isNumber }, at) => ({ name, at, isNumber }))
  return (
    <div className="data-grid-result">
      <ResultBar
        {...{ result, isLoadingOn, setLoadingOn, filter, setFilter, mayExport, isExporting, onExport }}
        found={filter ? shown.length : undefined}
        onMoveOn={onMoveOn && (() => moved(onMoveOn))}
        onMoveTo={onMoveTo && ((from) => moved(() => onMoveTo(from)))}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: of a table all rows would have to be drawn */}
      <div
        className="data-grid"
        ref={box}
        role="grid"
        aria-label={t('Results')}
        aria-rowcount={shown.length}
        aria-activedescendant={
          cursor && cursor.row >= first && cursor.row < last ? cellId(id, cursor.row, cursor.column) : undefined
        }
        tabIndex={0}
        onKeyDown={handleKey}
        onScroll={handleScroll}
      >
        <GridHeads
          columns={heads}
          {...{ template, sorting }}
          onSort={(column) => setSorting((now) => nextSorting(now, column))}
        />
        <div className="data-grid-rows" style={{ height: shown.length * ROW_PX }}>
          {shown.slice(first, last).map((row, index) => (
            <GridRow
              // biome-ignore lint/suspicious/noArrayIndexKey: a line of the box, whatever row is in it
              key={first + index}
              {...{ row, columns, template }}
              grid={id}
              place={first + index}
              cursor={cursor?.row === first + index ? cursor.column : undefined}
              onChoose={(column) => {
                moveTo({ row: first + index, column })
                // The next key moves on from there, also when the value has been looked at.
                box.current?.focus({ preventScroll: true })
                choose(row, column)
              }}
            />
          ))}
        </div>
      </div>
      {chosen && (
        <CellViewer
          name={columns[chosen.column]?.name ?? ''}
          value={chosen.row[chosen.column] ?? null}
          edit={columns[chosen.column]?.isStored ? onEdit?.(chosen) : undefined}
          onClose={() => setChosen(undefined)}
        />
      )}
    </div>
  )
}

interface ResultBarProps extends WindowBarProps, Pick<ExportMenuProps, 'mayExport' | 'isExporting'> {
  filter: string
  setFilter: (text: string) => void
  onExport: ExportMenuProps['onExport'] | undefined
}

function ResultBar({ filter, setFilter, mayExport, isExporting, onExport, ...window }: ResultBarProps) {
  return (
    <div className="data-grid-bar">
      <SearchInput
        isSmall
        className="data-grid-filter"
        placeholder={t('Filter the loaded rows')}
        aria-label={t('Filter the loaded rows')}
        value={filter}
        onChange={setFilter}
      />
      <WindowBar {...window} />
      {onExport && <ExportMenu {...{ mayExport, isExporting, onExport }} />}
    </div>
  )
}

interface ExportMenuProps extends Required<Pick<ResultGridProps, 'mayExport' | 'isExporting'>> {
  onExport: (format: ExportFormat) => void
}

function ExportMenu({ mayExport, isExporting, onExport }: ExportMenuProps) {
  const [isOpen, setOpen] = useState(false)
  const choose = (format: ExportFormat) => {
    setOpen(false)
    onExport(format)
  }
  const content = (
    <div className="data-grid-export">
      <p>{t('The statement is run again, and all its rows go into a file.')}</p>
      {EXPORT_FORMATS.map((format) => (
        <Button
          key={format}
          size="small"
          whyDisabled={mayExport ? undefined : t('The workbench is busy or not connected')}
          onClick={() => choose(format)}
        >
          {format.toUpperCase()}
        </Button>
      ))}
    </div>
  )
  return (
    <Popover
      title={t('Export')}
      isOpen={isOpen}
      onOpenChange={setOpen}
      button={
        <Button size="small" icon={<DownloadIcon />} loading={isExporting}>
          {t('Export')}
        </Button>
      }
    >
      {content}
    </Popover>
  )
}

interface GridRowProps {
  /** Id of the grid. */
  grid: string
  row: Row
  columns: ResultView['columns']
  template: string
  /** Among those that are shown. */
  place: number
  /** The column of the cell that keys move from, if it is in this row. */
  cursor: number | undefined
  onChoose: (column: number) => void
}

function GridRow({ grid, row, columns, template, place, cursor, onChoose }: GridRowProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    // biome-ignore lint/a11y/useFocusableInteractive: see the grid
    <div
      className="data-grid-row"
      role="row"
      aria-rowindex={place + 1}
      style={{ top: place * ROW_PX, gridTemplateColumns: template }}
    >
      {row.map((value, at) => {
        const text = textOf(value)
        const look = text === null ? ' data-grid-null' : columns[at]?.isNumber ? ' data-grid-number' : ''
        return (
          // biome-ignore lint/a11y/useSemanticElements: see the grid
          <button
            type="button"
            // biome-ignore lint/suspicious/noArrayIndexKey: a value is where its column is
            key={at}
            id={cellId(grid, place, at)}
            role="gridcell"
            // The grid is one stop of the Tab key, and takes the others.
            tabIndex={-1}
            className={`data-grid-cell${look}${at === cursor ? ' data-grid-cursor' : ''}`}
            onClick={() => onChoose(at)}
          >
            {text === null ? 'NULL' : text.slice(0, CELL_CHARACTERS)}
          </button>
        )
      })}
    </div>
  )
}
