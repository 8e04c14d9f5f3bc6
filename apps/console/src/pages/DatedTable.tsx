import { type ReactNode, useState } from 'react'
import { useSearchParams } from 'react-router'
import { DateRangePicker } from '../design/dates/DateRangePicker.tsx'
import { ResourceTable } from '../generic/list/ResourceTable.tsx'
import type { ResourcePages } from '../generic/view/define-pages.ts'
import type { Query } from '../lib/api.ts'
import { type DateRange, defaultRange, type IsoRange, isoOf, rangeOf } from '../lib/time/date-range.ts'

interface DatedTableProps {
  pages: ResourcePages
  base: string
  /** Range and list state in the address. */
  inAddress: boolean
  /** Days back at which the range begins at first; it ends today. */
  daysBack: number
  query?: Query
  /** Further filters of the page. */
  filters?: ReactNode
}

/** A table of what happened between two dates (B5.10 B9.17). */
export function DatedTable({ pages, base, inAddress, daysBack, query, filters }: DatedTableProps) {
  const [address, setAddress] = useSearchParams()
  const [memory, setMemory] = useState<DateRange>()
  // The same all day; a list that stays open over midnight goes on with the next.
  const first = defaultRange(daysBack)
  const [date_from, date_to] = isoOf(inAddress ? rangeOf(address, first) : (memory ?? first))
  const change = ([from, to]: IsoRange) => {
    if (!inAddress) return setMemory([new Date(from), new Date(to)])
    setAddress((current) => {
      const next = new URLSearchParams(current)
      next.delete('page')
      next.set('date_from', from)
      next.set('date_to', to)
      return next
    })
  }
  return (
    <ResourceTable
      pages={pages}
      base={base}
      inAddress={inAddress}
      query={{ ...query, date_from, date_to }}
      filters={
        <>
          <DateRangePicker value={[date_from, date_to]} onChange={change} />
          {filters}
        </>
      }
    />
  )
}
