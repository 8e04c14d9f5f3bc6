import { parseDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { addDays, type IsoRange, isoOf, wholeDays } from '../../lib/time/date-range.ts'
import { DateBox, type DateInputProps } from './DateBox.tsx'
import { endOfToday, rangeFault } from './range.ts'
import { useTypedDates } from './use-typed-dates.ts'

interface DateRangePickerProps extends Omit<DateInputProps, 'onUnreadable'> {
  value: IsoRange
  /** From 00:00:01 of the first day to 23:59:59 of the last one (B9.17), or the last 24 hours. */
  onChange: (value: IsoRange) => void
}

const DAY_MS = 86_400_000
const LAST_DAYS = [7, 30, 90]

/** The days of which a report tells, with the usual ranges at hand; today is the last of them. */
export function DateRangePicker({ value, onChange, ...input }: DateRangePickerProps) {
  const choose = (from: Date, to: Date) => onChange(isoOf(wholeDays(from, to)))
  const typed = useTypedDates({
    values: value,
    precision: 'day',
    judge: ([from = null, to = null]) => rangeFault(from, to, false) ?? isoOf(wholeDays(from as Date, to as Date)),
    onChange: ([from, to]) => from && to && onChange([from, to]),
  })
  return (
    <DateBox
      aria-label={t('Date range')}
      {...input}
      typed={typed}
      precision="day"
      names={[t('From@@time'), t('To@@time')]}
      calendar={{
        name: t('Choose dates'),
        dates: value.map((date) => parseDate(date) ?? null),
        hasTime: false,
        lastDay: endOfToday(),
        presets: [
          {
            label: t('Last 24 hours'),
            choose: () => onChange(isoOf([new Date(Date.now() - DAY_MS), new Date()])),
          },
          ...LAST_DAYS.map((days) => ({
            label: t('Last {{days}} days', { days }),
            choose: () => choose(addDays(new Date(), -days), new Date()),
          })),
        ],
        onChoose: ([from, to]) => from && to && choose(from, to),
      }}
    />
  )
}
