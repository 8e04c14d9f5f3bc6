import { addDays } from '../../lib/date-range.ts'
import { DateTimePicker } from '../DateTimePicker.tsx'
import { Kept } from './Kept.tsx'
import type { GallerySection } from './section.ts'

const AT = new Date(2026, 0, 31, 9).toISOString()
const SOON = [
  { label: 'Tomorrow', value: () => addDays(new Date(), 1) },
  { label: 'In a week', value: () => addDays(new Date(), 7) },
]

const picker = (value: string | null, rest: Partial<Parameters<typeof DateTimePicker>[0]> = {}) => (
  <Kept value={value}>
    {(now, change) => <DateTimePicker aria-label="Expires" value={now} onChange={change} {...rest} />}
  </Kept>
)

export const section: GallerySection = {
  title: 'DateTimePicker',
  states: [
    { name: 'Empty', draw: () => picker(null) },
    { name: 'With a date', draw: () => picker(AT) },
    { name: 'Can be cleared', draw: () => picker(AT, { isClearable: true }) },
    { name: 'With presets', draw: () => picker(null, { presets: SOON, isClearable: true }) },
    { name: 'Wrong', draw: () => picker(AT, { 'aria-invalid': true }) },
    { name: 'Disabled', draw: () => picker(AT, { disabled: true }) },
  ],
}
