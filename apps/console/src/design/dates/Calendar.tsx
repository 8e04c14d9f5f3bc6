import { ChevronLeftIcon, ChevronRightIcon } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { DayPicker, type DropdownProps, type PropsBase } from 'react-day-picker'
import { oncePerLanguage } from '../../lib/format.ts'
import { languageTag, t } from '../../lib/i18n.ts'
import styles from './Calendar.module.css'

interface CalendarProps {
  /** The chosen days; the same one twice, or none. */
  from: Date | undefined
  to: Date | undefined
  isRange: boolean
  lastDay?: Date | undefined
  /** Whether arrows begin at a day at once. */
  takesFocus: boolean
  onChoose: (day: Date) => void
}

/** How far the choice of years goes from now: new people expire in 70 years, which means never. */
const YEARS = { back: 20, ahead: 80 }

/** A month of days with choices of month and year; Monday is the first day of a week. */
export function Calendar({ from, to, isRange, lastDay, takesFocus, onChoose }: CalendarProps) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (takesFocus)
      box.current?.querySelector<HTMLElement>('[role=gridcell] [tabindex="0"]')?.focus({ preventScroll: true })
  }, [takesFocus])
  // Another date brings its month; until then it is the one that was turned to.
  const [turned, setTurned] = useState<{ month: Date; from: number | undefined }>()
  const of = to?.getTime()
  const now = new Date()
  const common: PropsBase & { required: true } = {
    ...LOOK,
    required: true,
    lang: languageTag(),
    month: turned && turned.from === of ? turned.month : (to ?? lastDay ?? now),
    onMonthChange: (month) => setTurned({ month, from: of }),
    startMonth: new Date(Math.min(from?.getFullYear() ?? Infinity, now.getFullYear() - YEARS.back), 0),
    endMonth: lastDay ?? new Date(Math.max(to?.getFullYear() ?? 0, now.getFullYear() + YEARS.ahead), 11),
    disabled: lastDay && { after: lastDay },
  }
  return (
    <div ref={box}>
      {isRange ? (
        <DayPicker {...common} mode="range" selected={from && { from, to }} onSelect={(_range, day) => onChoose(day)} />
      ) : (
        <DayPicker {...common} mode="single" selected={from} onSelect={(_date, day) => onChoose(day)} />
      )}
    </div>
  )
}

const dates = (options: Intl.DateTimeFormatOptions) =>
  oncePerLanguage((language) => new Intl.DateTimeFormat(language, options))

const yearAndMonth = dates({ year: 'numeric', month: 'long' })
const shortMonth = dates({ month: 'short' })
const narrowWeekday = dates({ weekday: 'narrow' })
const shortWeekday = dates({ weekday: 'short' })
const longWeekday = dates({ weekday: 'long' })
const wholeDate = dates({ dateStyle: 'full' })

const LOOK: PropsBase = {
  classNames: styles,
  weekStartsOn: 1,
  showOutsideDays: true,
  // Nothing moves from month to month.
  fixedWeeks: true,
  navLayout: 'around',
  captionLayout: 'dropdown',
  formatters: {
    formatCaption: (month) => yearAndMonth().format(month),
    formatMonthDropdown: (month) => shortMonth().format(month),
    formatWeekdayName: (day) => (languageTag() === 'zh-CN' ? narrowWeekday() : shortWeekday()).format(day),
  },
  labels: {
    labelGrid: (month) => yearAndMonth().format(month),
    labelDayButton: (day, { today }) => {
      const date = wholeDate().format(day)
      return today ? t('{{date}}, today', { date }) : date
    },
    labelWeekday: (day) => longWeekday().format(day),
    labelPrevious: () => t('Previous month'),
    labelNext: () => t('Next month'),
    labelMonthDropdown: () => t('Month'),
    labelYearDropdown: () => t('Year'),
  },
  components: {
    Dropdown: PlainSelect,
    Chevron: ({ orientation }) => (orientation === 'left' ? <ChevronLeftIcon /> : <ChevronRightIcon />),
  },
}

function PlainSelect({ options, className: _, ...rest }: DropdownProps) {
  return (
    <select {...rest} className={styles.select}>
      {options?.map(({ value, label, disabled }) => (
        <option key={value} value={value} disabled={disabled}>
          {label}
        </option>
      ))}
    </select>
  )
}
