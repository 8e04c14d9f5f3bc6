import { type ComponentProps, useState } from 'react'
import { addDays, type IsoRange, isoOf } from '../../lib/time/date-range.ts'
import { DateTimeRangePicker } from '../dates/DateTimeRangePicker.tsx'
import type { RangePreset } from '../dates/range.ts'

const LAST_WEEK = isoOf([addDays(new Date(), -7), new Date()])
const AHEAD: RangePreset[] = [{ label: 'In 7 days', value: () => [new Date(), addDays(new Date(), 7)] }]

type ExampleProps = Partial<ComponentProps<typeof DateTimeRangePicker>> & { first?: IsoRange | null }

function Example({ first = null, ...props }: ExampleProps) {
  const [value, setValue] = useState(first)
  return <DateTimeRangePicker {...props} value={value} onChange={setValue} />
}

export default function DateTimeRangePickerGallery() {
  return (
    <>
      <Example aria-label="Empty" />
      <Example aria-label="Until today" first={LAST_WEEK} isClearable />
      <Example aria-label="In the future" isFutureAllowed presets={AHEAD} isClearable />
      <Example aria-label="Disabled" first={LAST_WEEK} disabled />
    </>
  )
}
