import { DatePicker } from 'antd'
import dayjs, { type Dayjs } from 'dayjs'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import type { ResourcePages } from '../generic/define-pages.ts'
import { ResourceTable } from '../generic/ResourceTable.tsx'
import type { Query } from '../lib/api.ts'
import { t } from '../lib/i18n.ts'

interface DatedTableProps {
  pages: ResourcePages
  base: string
  /** Range and list state in the address. */
  inAddress: boolean
  /** Days back at which the range begins at first; it ends with the month. */
  daysBack: number
  query?: Query
}

/** A table of what happened between two dates (spec B5.10 B9.17). */
export function DatedTable({ pages, base, inAddress, daysBack, query }: DatedTableProps) {
  const [address, setAddress] = useSearchParams()
  const [[first, last]] = useState(() => defaultRange(daysBack))
  const [memory, setMemory] = useState<readonly [Dayjs, Dayjs]>([first, last])
  const range = inAddress ? rangeOf(address, first, last) : memory
  const change = (next: readonly [Dayjs, Dayjs]) => {
    if (!inAddress) return setMemory(next)
    setAddress((current) => {
      const changed = new URLSearchParams(current)
      changed.delete('page')
      changed.set('date_from', next[0].toISOString())
      changed.set('date_to', next[1].toISOString())
      return changed
    })
  }
  const [from, to] = range
  return (
    <>
      <div className="above-table">
        <DatePicker.RangePicker
          allowClear={false}
          value={[from, to]}
          format="YYYY-MM-DD"
          aria-label={t('Date range')}
          presets={[
            { label: t('Last 24 hours'), value: [dayjs().subtract(1, 'day'), dayjs()] },
            ...[7, 30, 90].map((days) => ({
              label: t('Last {{days}} days', { days }),
              value: wholeDays(dayjs().subtract(days, 'day'), dayjs()),
            })),
          ]}
          onChange={(next) => {
            // A preset carries its time of day, a click on the calendar means whole days.
            if (next?.[0] && next[1]) change(isPreset(next[0], next[1]) ? [next[0], next[1]] : wholeDays(next[0], next[1]))
          }}
        />
      </div>
      <ResourceTable
        pages={pages}
        base={base}
        inAddress={inAddress}
        query={{ ...query, date_from: from.toISOString(), date_to: to.toISOString() }}
      />
    </>
  )
}

/** From the first second of one day to the last of another. */
function wholeDays(from: Dayjs, to: Dayjs): [Dayjs, Dayjs] {
  return [from.startOf('day').add(1, 'second'), to.endOf('day').startOf('second')]
}

const isPreset = (from: Dayjs, to: Dayjs) => to.diff(from, 'hour') === 24 && from.hour() === to.hour()

/** Some days back until the end of the month. */
export function defaultRange(daysBack: number, now = dayjs()): [Dayjs, Dayjs] {
  return wholeDays(now.subtract(daysBack, 'day'), now.endOf('month'))
}

/** The range of an address; one that is no range falls back to 5 days ago to tomorrow (spec B5.10). */
export function rangeOf(address: URLSearchParams, first: Dayjs, last: Dayjs, now = dayjs()): [Dayjs, Dayjs] {
  const [from, to] = [address.get('date_from'), address.get('date_to')]
  if (!from && !to) return [first, last]
  const range: [Dayjs, Dayjs] = [from ? dayjs(from) : first, to ? dayjs(to) : last]
  return range.every((one) => one.isValid()) && !range[0].isAfter(range[1]) ? range : wholeDays(now.subtract(5, 'day'), now.add(1, 'day'))
}
