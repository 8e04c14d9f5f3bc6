import {
  type LimitedFigure,
  type MonitorNow,
  SHARED_FIGURES,
  SHARED_LIMITS,
  type SharedFigure,
} from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { EmptyState } from '../../design/EmptyState.tsx'
import { LinkedWords } from '../../generic/cells/link-cell.tsx'
import { t } from '../../lib/i18n.ts'
import monitor from '../ops/monitor/monitor.module.css'
import { formatFigure, sharedFigure } from './figures.ts'
import systemMonitor from './system-monitor.module.css'

/** How long the oldest waits is beside how many do. */
const OLDEST: Partial<Record<SharedFigure, SharedFigure>> = {
  jobs_waiting: 'jobs_oldest',
  recordings_waiting: 'recordings_oldest',
  commands_waiting: 'commands_oldest',
  events_waiting: 'events_oldest',
}

/** The installation's figures of the last minute, each a link to what explains it. */
export function SharedFigures({ now: { figures, limits } }: { now: MonitorNow }) {
  if (!figures)
    return (
      <EmptyState title={t('Nothing was measured in the last minutes')}>
        {t('The first figures come within a minute after the start.')}
      </EmptyState>
    )
  const beside = new Set(Object.values(OLDEST))
  const names = (Object.keys(SHARED_FIGURES) as SharedFigure[]).filter((name) => !beside.has(name))
  const isBad = (name: SharedFigure | undefined) =>
    // What all carry together has no limit where each node has one.
    name !== undefined && name in SHARED_LIMITS && (figures[name] ?? 0) > (limits[name as LimitedFigure] ?? Infinity)
  return (
    <dl className={`${monitor.monitorFigures} ${systemMonitor.sharedFigures}`}>
      {names.map((name) => {
        const { title, unit, to } = sharedFigure(name)
        const value = figures[name] ?? 0
        const oldest = OLDEST[name]
        return (
          <div key={name}>
            <dt>
              <LinkedWords to={to?.()}>{t(title)}</LinkedWords>
            </dt>
            <dd className={isBad(name) || isBad(oldest) || (name === 'storages_away' && value > 0) ? 'bad' : undefined}>
              {formatFigure(unit, value)}
              {oldest && value > 0 && (
                <small>{t('oldest {{time}}', { time: formatFigure('seconds', figures[oldest] ?? 0) })}</small>
              )}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
