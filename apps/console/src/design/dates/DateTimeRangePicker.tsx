import { parseDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { type IsoRange, isoOf } from '../../lib/time/date-range.ts'
import { DateBox, type DateInputProps } from './DateBox.tsx'
import { endOfToday, type RangePreset, rangeFault } from './range.ts'
import { type IsoDates, useTypedDates } from './use-typed-dates.ts'

interface DateTimeRangePickerProps extends DateInputProps {
  value: IsoRange | null
  onChange: (value: IsoRange | null) => void
  /** Whether a button takes both dates away. */
  isClearable?: boolean
  /** Whether it may end after today, as what is planned does. */
  isFutureAllowed?: boolean
  presets?: readonly RangePreset[]
}

const NONE: IsoDates = [null, null]

/** From and to, each with its time of day. Without a name of its own, a group around it has one. */
export function DateTimeRangePicker(props: DateTimeRangePickerProps) {
  const { value, onChange, isClearable = false, isFutureAllowed = false, presets = [], ...input } = props
  const change = ([from, to]: IsoDates) => onChange(from && to ? [from, to] : null)
  const typed = useTypedDates({
    values: value ?? NONE,
    precision: 'second',
    judge: ([from = null, to = null]) => {
      if (!from && !to) return NONE
      return rangeFault(from, to, isFutureAllowed) ?? isoOf([from as Date, to as Date])
    },
    onChange: change,
    onUnreadable: input.onUnreadable,
  })
  return (
    <DateBox
      {...input}
      typed={typed}
      precision="second"
      names={[t('From@@time'), t('To@@time')]}
      onClear={isClearable && typed.texts.some(Boolean) ? () => onChange(null) : undefined}
      calendar={{
        name: t('Choose dates'),
        dates: (value ?? NONE).map((date) => parseDate(date) ?? null),
        hasTime: true,
        lastDay: isFutureAllowed ? undefined : endOfToday(),
        presets: presets.map((preset) => ({ label: preset.label, choose: () => onChange(isoOf(preset.value())) })),
        onChoose: ([from, to]) => {
          // A time of day that was moved past the other one takes it along.
          if (from && to) onChange(isoOf(from <= to ? [from, to] : [to, from]))
        },
      }}
    />
  )
}
