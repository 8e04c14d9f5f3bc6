import { addDays, type IsoRange, isoOf } from '../../lib/date-range.ts'
import { DateTimeRangePicker } from '../DateTimeRangePicker.tsx'
import { Kept } from './Kept.tsx'
import type { GallerySection } from './section.ts'

const LAST_WEEK = isoOf([addDays(new Date(), -7), new Date()])

const picker = (value: IsoRange | null, rest: Partial<Parameters<typeof DateTimeRangePicker>[0]> = {}) => (
  <Kept value={value}>
    {(now, change) => <DateTimeRangePicker aria-label="Window" value={now} onChange={change} {...rest} />}
  </Kept>
)

export const section: GallerySection = {
  title: 'DateTimeRangePicker',
  states: [
    { name: 'Empty', draw: () => picker(null) },
    { name: 'What has happened: until today', draw: () => picker(LAST_WEEK, { isClearable: true }) },
    {
      name: 'What is planned, with presets',
      draw: () =>
        picker(null, {
          isFutureAllowed: true,
          presets: [{ label: 'In 7 days', value: () => [new Date(), addDays(new Date(), 7)] }],
        }),
    },
    { name: 'Disabled', draw: () => picker(LAST_WEEK, { disabled: true }) },
  ],
}
