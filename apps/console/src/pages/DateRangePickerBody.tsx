import { DatePicker } from 'antd'
import dayjs from 'dayjs'
// Weekdays and months in Chinese; used where the page is Chinese.
import 'dayjs/locale/zh-cn.js'
import { t } from '../lib/i18n.ts'
import { addDays, type DateRange, wholeDays } from './date-range.ts'

const DAY_MS = 86_400_000

export interface DateRangePickerProps {
  value: DateRange
  onChange: (range: DateRange) => void
}

export function DateRangePickerBody({ value: [from, to], onChange }: DateRangePickerProps) {
  const now = new Date()
  const days = (count: number) => ({
    label: t('Last {{days}} days', { days: count }),
    value: wholeDays(addDays(now, -count), now).map((date) => dayjs(date)) as [dayjs.Dayjs, dayjs.Dayjs],
  })
  return (
    <DatePicker.RangePicker
      allowClear={false}
      value={[dayjs(from), dayjs(to)]}
      format="YYYY-MM-DD"
      aria-label={t('Date range')}
      presets={[
        { label: t('Last 24 hours'), value: [dayjs(now.getTime() - DAY_MS), dayjs(now)] },
        days(7),
        days(30),
        days(90),
      ]}
      onChange={(next) => {
        const [first, last] = [next?.[0]?.toDate(), next?.[1]?.toDate()]
        if (!first || !last) return
        // The last 24 hours have their time of day; whatever else is chosen means whole days.
        onChange(last.getTime() - first.getTime() === DAY_MS ? [first, last] : wholeDays(first, last))
      }}
    />
  )
}
