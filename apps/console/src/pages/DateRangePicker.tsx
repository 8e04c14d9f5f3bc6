import { lazily } from '../generic/lazily.tsx'
import type { DateRange } from './date-range.ts'

export interface DateRangePickerProps {
  value: DateRange
  onChange: (range: DateRange) => void
}

/** Two dates with the usual ranges at hand. */
export const DateRangePicker = lazily<DateRangePickerProps>(() => import('./DateRangePickerBody.tsx').then((m) => m.DateRangePickerBody))
