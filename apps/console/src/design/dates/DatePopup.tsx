import { useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { Button } from '../Button.tsx'
import { Popup } from '../popups/Popup.tsx'
import { Calendar } from './Calendar.tsx'
import styles from './DatePopup.module.css'
import { TimeOfDay } from './TimeOfDay.tsx'

/** The dates of a calendar, and the way to others. */
export interface CalendarChoice {
  /** The name of the dialog. */
  name: string
  /** One date, or the first and the last of a range. */
  dates: readonly (Date | null)[]
  /** The time of day is chosen too. */
  hasTime: boolean
  /** The last day that can be chosen. */
  lastDay?: Date | undefined
  presets: readonly { label: string; choose: () => void }[]
  /** As many dates as `dates`. Those of new days have the time of day of before. */
  onChoose: (dates: readonly Date[]) => void
}

export interface DatePopupProps extends CalendarChoice {
  /** The inputs that it belongs to. */
  anchor: HTMLElement
  /** Whether the focus goes to a day at once. */
  takesFocus: boolean
  onClose: () => void
}

/** Presets, a calendar and the time of day under an input. */
export function DatePopup(props: DatePopupProps) {
  const { name, dates, hasTime, lastDay, presets, onChoose, anchor, takesFocus, onClose } = props
  /** The first day of a new range, until its last one is chosen. */
  const [firstDay, setFirstDay] = useState<Date>()
  const [first, last] = dates
  const isRange = dates.length > 1
  const chooseDay = (day: Date) => {
    if (isRange && !firstDay) return setFirstDay(day)
    const days = firstDay ? [firstDay, day].sort((a, b) => a.getTime() - b.getTime()) : [day]
    setFirstDay(undefined)
    onChoose(days.map((one, at) => atTimeOf(one, dates[at] ?? usualTime(isRange, at))))
    if (!hasTime) onClose()
  }
  return (
    <Popup anchor={anchor} role="dialog" aria-label={name} tabIndex={-1} className={styles.popup} onClose={onClose}>
      {presets.length > 0 && (
        <div className={styles.presets}>
          {presets.map(({ label, choose }) => (
            <button
              key={label}
              type="button"
              onClick={() => {
                choose()
                onClose()
              }}
            >
              {label}
            </button>
          ))}
        </div>
      )}
      <div className={styles.choice}>
        <Calendar
          from={firstDay ?? first ?? undefined}
          to={firstDay ?? (isRange ? last : first) ?? undefined}
          isRange={isRange}
          lastDay={lastDay}
          takesFocus={takesFocus}
          onChoose={chooseDay}
        />
        {hasTime && (
          <div className={styles.foot}>
            {dates.map((date, at) => (
              <TimeOfDay
                // biome-ignore lint/suspicious/noArrayIndexKey: the first and the last
                key={at}
                name={isRange ? (at === 0 ? t('From@@time') : t('To@@time')) : t('Time')}
                date={date}
                onChange={(next) => onChoose(dates.map((other, place) => (place === at ? next : other)) as Date[])}
              />
            ))}
            <Button type="primary" size="small" onClick={onClose}>
              {t('Done')}
            </Button>
          </div>
        )}
      </div>
    </Popup>
  )
}

/** The time of day of a first date: now, or the ends of whole days. */
function usualTime(isRange: boolean, at: number): Date {
  return isRange ? new Date(2000, 0, 1, ...(at === 0 ? [0, 0, 0] : [23, 59, 59])) : new Date()
}

function atTimeOf(day: Date, time: Date): Date {
  const next = new Date(day)
  next.setHours(time.getHours(), time.getMinutes(), time.getSeconds(), 0)
  return next
}
