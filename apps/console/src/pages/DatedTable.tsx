import { type ReactNode, useState } from 'react'
import { useSearchParams } from 'react-router'
import { ResourceTable } from '../generic/list/ResourceTable.tsx'
import type { ResourcePages } from '../generic/view/define-pages.ts'
import type { Query } from '../lib/api.ts'
import { DateRangePicker } from './DateRangePicker.tsx'
import { type DateRange, defaultRange, rangeOf } from './date-range.ts'

interface DatedTableProps {
  pages: ResourcePages
  base: string
  /** Range and list state in the address. */
  inAddress: boolean
  /** Days back at which the range begins at first; it ends with the month. */
  daysBack: number
  query?: Query
  /** Further filters of the page. */
  filters?: ReactNode
}

/** A table of what happened between two dates (B5.10 B9.17). */
export function DatedTable({ pages, base, inAddress, daysBack, query, filters }: DatedTableProps) {
  const [address, setAddress] = useSearchParams()
  const [first] = useState(() => defaultRange(daysBack))
  const [memory, setMemory] = useState<DateRange>(first)
  const [from, to] = inAddress ? rangeOf(address, first) : memory
  const change = (range: DateRange) => {
    if (!inAddress) return setMemory(range)
    setAddress((current) => {
      const next = new URLSearchParams(current)
      next.delete('page')
      next.set('date_from', range[0].toISOString())
      next.set('date_to', range[1].toISOString())
      return next
    })
  }
  return (
    <ResourceTable
      pages={pages}
      base={base}
      inAddress={inAddress}
      query={{ ...query, date_from: from.toISOString(), date_to: to.toISOString() }}
      filters={
        <>
          <DateRangePicker value={[from, to]} onChange={change} />
          {filters}
        </>
      }
    />
  )
}
