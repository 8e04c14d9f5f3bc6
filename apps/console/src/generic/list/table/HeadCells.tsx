import { ChevronDownIcon, ChevronUpIcon, CircleQuestionMarkIcon } from 'lucide-react'
import { Checkbox } from '../../../design/inputs/Checkbox.tsx'
import { tip } from '../../../design/tip.ts'
import { t } from '../../../lib/i18n.ts'
import { nextOrder } from '../../rows/list-state.ts'
import { HeaderFilter } from '../HeaderFilter.tsx'
import { cellClass } from './BodyRows.tsx'
import type { TableColumn } from './table-column.ts'

/** Ticks all rows of the page that can be ticked; half ticked while only some are. */
export function AllRowsBox({
  count,
  ticked,
  onTick,
}: {
  count: number
  ticked: number
  onTick: (on: boolean) => void
}) {
  return (
    <Checkbox
      aria-label={t('Select all rows of this page')}
      disabled={count === 0}
      checked={count > 0 && ticked === count}
      isPartly={ticked > 0 && ticked < count}
      onChange={onTick}
    />
  )
}

interface HeadCellProps {
  column: TableColumn
  isFirst: boolean
  order: string
  onOrder: ((order: string) => void) | undefined
  filter: string | undefined
  onFilter: ((column: string, value: string | undefined) => void) | undefined
}

/** The title of a column, and how the list is ordered or narrowed by it. */
export function HeadCell({
  column: { key, title, tip: words, align, orderBy, choices },
  isFirst,
  order,
  onOrder,
  filter,
  onFilter,
}: HeadCellProps) {
  const className = cellClass({ key, align, isFirst, isName: false })
  // Its name is on its way.
  if (title === '')
    return (
      <th className={className} data-ordered={orderBy !== undefined && onOrder !== undefined}>
        <span className="skeleton-line" />
      </th>
    )
  const help = words && (
    <button type="button" className="head-help" aria-label={words} {...tip(words)}>
      <CircleQuestionMarkIcon />
    </button>
  )
  if (choices && onFilter)
    return (
      <th scope="col" className={className} data-column={key}>
        {title}
        {help}
        <HeaderFilter title={title} choices={choices} value={filter} onChange={(value) => onFilter(key, value)} />
      </th>
    )
  if (!orderBy || !onOrder)
    return (
      <th scope="col" className={className} data-column={key}>
        {title}
        {help}
      </th>
    )
  const direction = order === orderBy ? 'ascending' : order === `-${orderBy}` ? 'descending' : 'none'
  return (
    <th scope="col" className={className} data-column={key} aria-sort={direction}>
      <button type="button" className="sort" onClick={() => onOrder(nextOrder(order, orderBy))}>
        {title}
        <span className={`carets ${direction}`} aria-hidden="true">
          <ChevronUpIcon />
          <ChevronDownIcon />
        </span>
      </button>
      {help}
    </th>
  )
}
