import type { FigureUnit, MonitorHistory } from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { useId, useState } from 'react'
import { LinkedWords } from '../../generic/cells/link-cell.tsx'
import { languageTag, t } from '../../lib/i18n.ts'
import { wholeTicks } from '../../lib/time/whole-ticks.ts'
import { areaOf, lineOf } from './chart-paths.ts'
import { formatFigure, tickSize } from './figures.ts'
import styles from './system-monitor.module.css'

interface ChartProps {
  title: string
  unit: FigureUnit
  /** What explains it. */
  to: string | undefined
  history: MonitorHistory
  name: string
  /** Above it there is an alarm. */
  limit: number | undefined
}

const MINUTE_MS = 60_000
const DAY_MINUTES = 1440

/**
 * One figure over time: the mean as a line, the highest as a ground behind it, the limit where it is
 * near. Pointer and arrow keys read single moments.
 */
export function Chart({ title, unit, to, history, name, limit }: ChartProps) {
  const { from, step, points, series } = history
  const [at, setAt] = useState<number>()
  const id = useId()
  const { mean, peak } = series[name] ?? { mean: [], peak: [] }
  const known = peak.filter((value) => value !== null)
  const highest = Math.max(0, ...known)
  const size = tickSize(unit, highest)
  const ticks = unit === 'percent' ? [0, 50, 100] : wholeTicks(highest / size).map((tick) => tick * size)
  const top = ticks.at(-1) ?? 1
  const newest = mean.findLast((value) => value !== null)
  const read = at === undefined ? undefined : mean[at]
  const moment = (index: number) => new Date(from + index * step * MINUTE_MS)
  const isLong = points * step > DAY_MINUTES
  const label = (index: number) =>
    new Intl.DateTimeFormat(
      languageTag(),
      isLong ? { month: 'numeric', day: 'numeric' } : { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    ).format(moment(index))
  const full = (index: number) =>
    new Intl.DateTimeFormat(languageTag(), {
      month: 'short',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }).format(moment(index))
  const wordsAt = (index: number) => {
    const [value, worst] = [mean[index], peak[index]]
    if (value === null || value === undefined) return t('not measured')
    const words = formatFigure(unit, value)
    return worst !== null && worst !== undefined && worst > value
      ? t('{{value}}, highest {{worst}}', { value: words, worst: formatFigure(unit, worst) })
      : words
  }
  return (
    <figure className={styles.chart}>
      <figcaption>
        <label htmlFor={id}>
          <LinkedWords to={to}>{title}</LinkedWords>
        </label>
        <strong>{newest === undefined || newest === null ? '–' : formatFigure(unit, newest)}</strong>
        <small>
          {at === undefined
            ? known.length > 0 && t('highest {{value}}', { value: formatFigure(unit, highest) })
            : `${full(at)}: ${wordsAt(at)}`}
        </small>
      </figcaption>
      <div className={styles.chartPlot}>
        <div className={styles.ticks} aria-hidden="true">
          {ticks.map((tick) => (
            <span key={tick} style={{ bottom: `${(tick / top) * 100}%` }}>
              {formatFigure(unit, tick)}
            </span>
          ))}
        </div>
        <div className={styles.drawing}>
          <svg viewBox={`0 0 ${points - 1} 100`} preserveAspectRatio="none" aria-hidden="true">
            <path className={styles.peak} d={areaOf(peak, top)} />
            <path className={styles.mean} d={lineOf(mean, top)} />
            {limit !== undefined && limit <= top && (
              <path className={styles.limit} d={`M0 ${100 - (limit / top) * 100}H${points - 1}`} />
            )}
          </svg>
          {at !== undefined && (
            <i className={styles.hair} style={{ left: `${(at / (points - 1)) * 100}%` }} data-known={read !== null} />
          )}
          <input
            id={id}
            type="range"
            min={0}
            max={points - 1}
            value={at ?? points - 1}
            aria-valuetext={`${full(at ?? points - 1)}: ${wordsAt(at ?? points - 1)}`}
            onChange={({ target }) => setAt(Number(target.value))}
            onPointerMove={({ nativeEvent: { offsetX }, currentTarget: { clientWidth } }) =>
              setAt(Math.min(points - 1, Math.max(0, Math.round((offsetX / clientWidth) * (points - 1)))))
            }
            onPointerLeave={() => setAt(undefined)}
            onBlur={() => setAt(undefined)}
          />
          {known.length === 0 && <span className={styles.chartEmpty}>{t('Nothing was measured')}</span>}
        </div>
        <div className={styles.moments} aria-hidden="true">
          {[0, Math.round((points - 1) / 2), points - 1].map((index) => (
            <span key={index}>{label(index)}</span>
          ))}
        </div>
      </div>
    </figure>
  )
}
