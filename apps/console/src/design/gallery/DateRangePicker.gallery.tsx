import { defaultRange, isoOf } from '../../lib/date-range.ts'
import { DateRangePicker } from '../DateRangePicker.tsx'
import { Kept } from './Kept.tsx'
import type { GallerySection } from './section.ts'

const WEEK = isoOf(defaultRange(7))

export const section: GallerySection = {
  title: 'DateRangePicker',
  states: [
    {
      name: 'The last week',
      draw: () => <Kept value={WEEK}>{(now, change) => <DateRangePicker value={now} onChange={change} />}</Kept>,
    },
    { name: 'Disabled', draw: () => <DateRangePicker value={WEEK} onChange={() => {}} disabled /> },
  ],
}
