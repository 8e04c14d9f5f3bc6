import { useState } from 'react'
import { defaultRange, isoOf } from '../../lib/time/date-range.ts'
import { DateRangePicker } from '../dates/DateRangePicker.tsx'

export default function DateRangePickerGallery() {
  const [value, setValue] = useState(() => isoOf(defaultRange(7)))
  return (
    <>
      <DateRangePicker aria-label="The last week" value={value} onChange={setValue} />
      <DateRangePicker aria-label="Disabled" value={value} onChange={setValue} disabled />
    </>
  )
}
