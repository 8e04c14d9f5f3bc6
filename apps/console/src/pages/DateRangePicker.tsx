import { lazily } from '../design/lazily.tsx'

/** Two dates with the usual ranges at hand. */
export const DateRangePicker = lazily(
  () => import('./DateRangePickerBody.tsx').then((m) => m.DateRangePickerBody),
  <span className="date-range-place" />,
)
