import { DateTimePicker } from '../../design/dates/DateTimePicker.tsx'
import { DateTimeRangePicker } from '../../design/dates/DateTimeRangePicker.tsx'
import { oncePerLanguage } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { addDays } from '../../lib/time/date-range.ts'
import type { WidgetProps } from '../view/form-view.ts'
import { Unusable } from './unusable.ts'

const EXPIRY_DAYS = [1, 7, 30, 365]
const PAST_DAYS = [-1, -7, -30, -90]

/**
 * A date with its time of day. Dates of expiry, and fields that ask for it (`suggest`), offer the
 * usual ones.
 */
export function DateTime({ field, context: _, value, onChange, ...input }: WidgetProps<string | null | Unusable>) {
  const days = field.suggest ?? (field.name === 'date_expired' ? EXPIRY_DAYS : [])
  return (
    <DateTimePicker
      {...input}
      value={value instanceof Unusable ? null : (value ?? null)}
      isClearable={field.required !== true}
      presets={days.map((count) => ({ label: inDays(count), value: () => addDays(new Date(), count) }))}
      onChange={(next) => onChange?.(next)}
      onUnreadable={(reason) => onChange?.(new Unusable(reason))}
    />
  )
}

/**
 * From and to, each with its time of day; the value is two ISO 8601 dates. Negative days of
 * `suggest` end now; with positive ones, which begin now, it may lie in the future.
 */
export function DateTimeRange(props: WidgetProps<readonly [string, string] | null | Unusable>) {
  const { field, context: _, value, onChange, ...input } = props
  const days = field.suggest ?? PAST_DAYS
  return (
    <DateTimeRangePicker
      {...input}
      aria-label={t(field.label)}
      value={value instanceof Unusable ? null : (value ?? null)}
      isClearable={field.required !== true}
      isFutureAllowed={days.some((count) => count > 0)}
      presets={days.map((count) => ({
        label: count < 0 ? lastDays(-count) : inDays(count),
        value: () => {
          const [now, other] = [new Date(), addDays(new Date(), count)]
          return count < 0 ? [other, now] : [now, other]
        },
      }))}
      onChange={(next) => onChange?.(next)}
      onUnreadable={(reason) => onChange?.(new Unusable(reason))}
    />
  )
}

const lastDays = (days: number) => (days === 1 ? t('Last 24 hours') : t('Last {{days}} days', { days }))

const daysAhead = oncePerLanguage((language) => new Intl.RelativeTimeFormat(language))

/** "in 7 days", in the largest unit that fits. */
function inDays(days: number): string {
  const words = daysAhead()
  if (days % 365 === 0) return words.format(days / 365, 'year')
  return days % 30 === 0 ? words.format(days / 30, 'month') : words.format(days, 'day')
}
