import { DatePicker } from 'antd'
import dayjs, { type Dayjs } from 'dayjs'
// Weekdays and months in Chinese; used where the page is Chinese.
import 'dayjs/locale/zh-cn.js'
import { parseDate } from '../../lib/format.ts'
import { languageTag, t } from '../../lib/i18n.ts'
import type { WidgetProps } from '../view/form-view.ts'
import { inputState } from './SelectsBody.tsx'

const EXPIRY_DAYS = [1, 7, 30, 365]
const PAST_DAYS = [-1, -7, -30, -90]

const asDay = (value: unknown): Dayjs | null => {
  const date = parseDate(value)
  return date ? dayjs(date) : null
}

/**
 * A date with its time of day. Dates of expiry, and fields that ask for it (`suggest`), offer the
 * usual ones.
 */
export function DateTime(props: WidgetProps<string | null>) {
  const days = props.field.suggest ?? (props.field.name === 'date_expired' ? EXPIRY_DAYS : [])
  return (
    <DatePicker
      {...inputState(props)}
      id={props.id ?? ''}
      showTime
      value={asDay(props.value)}
      disabled={props.disabled ?? false}
      allowClear={props.field.required !== true}
      presets={days.map((count) => ({ label: inDays(count), value: () => dayjs().add(count, 'day') }))}
      onChange={(value) => props.onChange?.(value ? value.toISOString() : null)}
    />
  )
}

/**
 * From and to, each with its time of day; the value is two ISO 8601 dates. Negative days of
 * `suggest` end now, positive ones begin now.
 */
export function DateTimeRange({ value, onChange, id, disabled, field }: WidgetProps<[string, string] | null>) {
  const [from, to] = value ?? []
  return (
    <DatePicker.RangePicker
      id={{ start: id ?? '', end: `${id ?? ''}_end` }}
      showTime
      value={[asDay(from), asDay(to)]}
      disabled={disabled ?? false}
      allowClear={field.required !== true}
      presets={(field.suggest ?? PAST_DAYS).map((count) => ({
        label: count < 0 ? lastDays(-count) : inDays(count),
        value: () => {
          const [now, other] = [dayjs(), dayjs().add(count, 'day')]
          return count < 0 ? [other, now] : [now, other]
        },
      }))}
      onChange={(next) => {
        const [first, last] = [next?.[0], next?.[1]]
        onChange?.(first && last ? [first.toISOString(), last.toISOString()] : null)
      }}
    />
  )
}

const lastDays = (days: number) => (days === 1 ? t('Last 24 hours') : t('Last {{days}} days', { days }))

/** "in 7 days", in the largest unit that fits. */
function inDays(days: number): string {
  const words = new Intl.RelativeTimeFormat(languageTag())
  if (days % 365 === 0) return words.format(days / 365, 'year')
  return days % 30 === 0 ? words.format(days / 30, 'month') : words.format(days, 'day')
}
