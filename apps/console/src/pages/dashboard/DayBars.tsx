import { type CSSProperties, type KeyboardEvent, useState } from 'react'
import { Link } from 'react-router'
import { LEFT_AND_RIGHT, moveFocus } from '../../design/focus.ts'
import { languageTag, t } from '../../lib/i18n.ts'
import { wholeTicks } from '../../lib/time/whole-ticks.ts'
import styles from './dashboard.module.css'

export interface DayValue {
  /** Its midnight, in the reader's zone. */
  day: Date
  value: number
  /** Name of the counted thing. */
  to: string | undefined
}

interface DayBarsProps {
  title: string
  /** Total of the whole range, which is not the sum of the days where people are counted. */
  total: number | undefined
  /** Name of the total. */
  to: string | undefined
  /** Oldest first; the last day is today, which is not over. */
  days: readonly DayValue[]
}

/** With more days there is no room for the number over each bar. */
const NUMBERED = 10
/** Days of a month between two labels. */
const LABELLED = 7

/**
 * A number for each day as bars from zero, today's striped. Bars are links; together they are one
 * stop of the tab key, and arrows go from day to day.
 */
export function DayBars({ title, total, to: all, days }: DayBarsProps) {
  const [held, setHeld] = useState(days.length - 1)
  const ticks = wholeTicks(Math.max(...days.map(({ value }) => value)))
  const top = ticks.at(-1) ?? 1
  const isWeek = days.length <= NUMBERED
  const walk = (event: KeyboardEvent<HTMLOListElement>) =>
    moveFocus(event, [...event.currentTarget.querySelectorAll('a')], LEFT_AND_RIGHT)
  const stop = stopAmong(days, held)
  return (
    <figure className={styles.dayBars}>
      <figcaption>
        <span>{title}</span>
        {total !== undefined && <strong>{all && total > 0 ? <Link to={all}>{total}</Link> : total}</strong>}
      </figcaption>
      <div className={styles.plot}>
        <div className={styles.ticks} aria-hidden="true">
          {ticks.map((tick) => (
            <span key={tick} style={{ bottom: `${(tick / top) * 100}%` }}>
              {tick}
            </span>
          ))}
        </div>
        <ol onKeyDown={walk}>
          {days.map(({ day, value, to }, at) => {
            const isToday = at === days.length - 1
            const label = labelOf(day, value, isToday)
            const bar = {
              className: isToday ? `${styles.bar} ${styles.unfinished}` : styles.bar,
              style: { '--height': `${(value / top) * 100}%` } as CSSProperties,
              title: label,
            }
            const number = isWeek && <span aria-hidden="true">{value}</span>
            return (
              <li key={day.getTime()}>
                {value > 0 && to ? (
                  <Link
                    {...bar}
                    to={to}
                    aria-label={`${title}: ${label}`}
                    tabIndex={at === stop ? 0 : -1}
                    onFocus={() => setHeld(at)}
                  >
                    {number}
                  </Link>
                ) : (
                  <span {...bar} role="img" aria-label={`${title}: ${label}`}>
                    {number}
                  </span>
                )}
              </li>
            )
          })}
        </ol>
        <div className={styles.days} aria-hidden="true">
          {days.map(({ day }, at) => (
            <span key={day.getTime()}>{dayLabel(day, days.length - 1 - at, isWeek)}</span>
          ))}
        </div>
      </div>
    </figure>
  )
}

/** The bar that the tab key stops at: the one that was there last, or the nearest that is a link. */
function stopAmong(days: readonly DayValue[], held: number): number {
  const links = days.flatMap(({ value, to }, at) => (value > 0 && to ? [at] : []))
  return links.toSorted((a, b) => Math.abs(a - held) - Math.abs(b - held))[0] ?? -1
}

function labelOf(day: Date, value: number, isToday: boolean): string {
  const date = new Intl.DateTimeFormat(languageTag(), { weekday: 'long', month: 'short', day: 'numeric' }).format(day)
  return isToday ? t('{{date}}: {{value}} until now', { date, value }) : t('{{date}}: {{value}}', { date, value })
}

function dayLabel(day: Date, before: number, isWeek: boolean): string {
  if (before === 0) return t('Today')
  if (isWeek) return new Intl.DateTimeFormat(languageTag(), { weekday: 'short' }).format(day)
  if (before % LABELLED) return ''
  return new Intl.DateTimeFormat(languageTag(), { month: 'numeric', day: 'numeric' }).format(day)
}
