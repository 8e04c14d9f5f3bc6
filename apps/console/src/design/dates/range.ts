/** What pickers of two dates share. */

import { t } from '../../lib/i18n.ts'
import type { DateRange } from '../../lib/time/date-range.ts'

/** A range that is offered by name, reckoned when it is chosen. */
export interface RangePreset {
  label: string
  value: () => DateRange
}

/** The end of today, in local time. */
export function endOfToday(): Date {
  return new Date(new Date().setHours(23, 59, 59, 999))
}

/** Why two dates are no range, translated; undefined when they are one. */
export function rangeFault(from: Date | null, to: Date | null, isFutureAllowed: boolean): string | undefined {
  if (!from || !to) return t('Enter both dates')
  if (from > to) return t('The first date must not be later than the last one')
  if (!isFutureAllowed && to > endOfToday()) return t('What has happened ends today at the latest')
  return undefined
}
