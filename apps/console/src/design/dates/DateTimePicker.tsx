import { parseDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { DateBox, type DateInputProps } from './DateBox.tsx'
import { useTypedDates } from './use-typed-dates.ts'

interface DateTimePickerProps extends DateInputProps {
  /** ISO 8601; null for no date. */
  value: string | null
  onChange: (value: string | null) => void
  /** Whether a button takes the date away. */
  isClearable?: boolean
  /** Dates offered by name, reckoned when they are chosen. */
  presets?: readonly { label: string; value: () => Date }[]
}

/** A date with its time of day, typed or chosen from a calendar. */
export function DateTimePicker({ value, onChange, isClearable = false, presets = [], ...input }: DateTimePickerProps) {
  const typed = useTypedDates({
    values: [value],
    precision: 'second',
    judge: ([date]) => [date?.toISOString() ?? null],
    onChange: ([next = null]) => onChange(next),
    onUnreadable: input.onUnreadable,
  })
  return (
    <DateBox
      {...input}
      typed={typed}
      precision="second"
      onClear={isClearable && typed.texts[0] ? () => onChange(null) : undefined}
      calendar={{
        name: t('Choose a date'),
        dates: [parseDate(value) ?? null],
        hasTime: true,
        presets: presets.map((preset) => ({
          label: preset.label,
          choose: () => onChange(preset.value().toISOString()),
        })),
        onChoose: ([date]) => date && onChange(date.toISOString()),
      }}
    />
  )
}
