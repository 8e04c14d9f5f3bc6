import { msg, t } from '../../../lib/i18n.ts'
import { cellsOf, dayText, type TimePeriod, WEEK_DAYS } from './week-time.ts'

const DAY_NAMES: Readonly<Record<number, string>> = {
  0: msg('Sunday'),
  1: msg('Monday'),
  2: msg('Tuesday'),
  3: msg('Wednesday'),
  4: msg('Thursday'),
  5: msg('Friday'),
  6: msg('Saturday'),
}

export const dayName = (day: number): string => t(DAY_NAMES[day] as string)

/** The chosen hours in words, a line for each day. */
export function WeekTimeText({ periods }: { periods: readonly TimePeriod[] }) {
  const cells = cellsOf(periods)
  const days = WEEK_DAYS.filter((day) => dayText(cells, day) !== '')
  if (days.length === 0) return <p className="week-time-text">{t('No time is chosen: the rule holds at all times.')}</p>
  return (
    <ul className="week-time-text">
      {days.map((day) => (
        <li key={day}>
          {dayName(day)}:{' '}
          {(periods.find(({ id }) => id === day)?.value ?? '').replaceAll('、', ', ').replaceAll('~', ' – ')}
        </li>
      ))}
    </ul>
  )
}
