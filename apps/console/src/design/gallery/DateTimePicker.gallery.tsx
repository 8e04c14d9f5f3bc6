import { type ComponentProps, useState } from 'react'
import { addDays } from '../../lib/time/date-range.ts'
import { DateTimePicker } from '../dates/DateTimePicker.tsx'

const AT = new Date(2026, 0, 31, 9).toISOString()
const SOON = [
  { label: 'Tomorrow', value: () => addDays(new Date(), 1) },
  { label: 'In a week', value: () => addDays(new Date(), 7) },
]

type ExampleProps = Partial<ComponentProps<typeof DateTimePicker>> & { first?: string | null }

function Example({ first = null, ...props }: ExampleProps) {
  const [value, setValue] = useState(first)
  return <DateTimePicker {...props} value={value} onChange={setValue} />
}

export default function DateTimePickerGallery() {
  return (
    <>
      <Example aria-label="Empty" />
      <Example aria-label="Filled" first={AT} />
      <Example aria-label="Can be cleared" first={AT} isClearable />
      <Example aria-label="With presets" presets={SOON} isClearable />
      <Example aria-label="Invalid" first={AT} aria-invalid />
      <Example aria-label="Disabled" first={AT} disabled />
    </>
  )
}
