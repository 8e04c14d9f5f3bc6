import { ArrowDownIcon, ArrowUpIcon } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { LEFT_AND_RIGHT, moveFocus } from '../../design/focus.ts'

interface GridHeadsProps {
  /** `at` is what tells a column from the others. */
  columns: readonly { name: string; at: number; isNumber?: boolean }[]
  /** Widths, for the style sheet's grid. */
  template: string
  sorting: { column: number; isDescending: boolean } | undefined
  onSort: (column: number) => void
}

/**
 * The heads of a grid, which sort it: however many there are, they are one stop of the Tab key, and
 * arrows go from one to the next.
 */
export function GridHeads({ columns, template, sorting, onSort }: GridHeadsProps) {
  const [held, setHeld] = useState(0)
  const stop = Math.min(held, columns.length - 1)
  const walk = (event: KeyboardEvent<HTMLDivElement>) =>
    moveFocus(event, [...event.currentTarget.querySelectorAll('button')], LEFT_AND_RIGHT)
  return (
    // biome-ignore lint/a11y/useSemanticElements: of a table all rows would have to be drawn
    // biome-ignore lint/a11y/useFocusableInteractive: the grid takes the focus
    <div className="data-grid-head" role="row" style={{ gridTemplateColumns: template }} onKeyDown={walk}>
      {columns.map(({ name, at, isNumber }, place) => (
        // biome-ignore lint/a11y/useSemanticElements: likewise
        <div
          key={at}
          role="columnheader"
          tabIndex={-1}
          className={isNumber ? 'data-grid-name data-grid-name-number' : 'data-grid-name'}
          aria-sort={sortOf(sorting, at)}
        >
          <button
            type="button"
            title={name}
            tabIndex={place === stop ? 0 : -1}
            onFocus={() => setHeld(place)}
            onClick={() => onSort(at)}
          >
            <span>{name}</span>
            {sorting?.column === at && (sorting.isDescending ? <ArrowDownIcon /> : <ArrowUpIcon />)}
          </button>
        </div>
      ))}
    </div>
  )
}

const sortOf = (sorting: GridHeadsProps['sorting'], column: number) =>
  sorting?.column !== column ? undefined : sorting.isDescending ? 'descending' : 'ascending'
