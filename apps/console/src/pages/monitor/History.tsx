import {
  type LimitedFigure,
  MONITOR_RANGES,
  type MonitorNow,
  type MonitorRange,
  type NodeFigure,
  type SharedFigure,
} from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { useState } from 'react'
import { Toggle } from '../../design/Button.tsx'
import { NativeSelect } from '../../design/boxes/NativeSelect.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { t } from '../../lib/i18n.ts'
import { Chart } from './Chart.tsx'
import { nodeFigure, sharedFigure } from './figures.ts'
import styles from './system-monitor.module.css'
import { useHistory } from './use-system-monitor.ts'

const OF_NODE = [
  'cpu',
  'memory',
  'disk',
  'sessions',
  'loop_delay',
  'database_delay',
  'process_memory',
] as const satisfies readonly NodeFigure[]
const SHARED = [
  'sessions',
  'jobs_waiting',
  'jobs_oldest',
  'jobs_failed',
  'recordings_waiting',
  'commands_waiting',
  'events_waiting',
  'events_dropped',
  'storages_away',
  'database_bytes',
  'database_connections',
] as const satisfies readonly SharedFigure[]

/** The figures over time: a node's, and the installation's. */
export function History({ now }: { now: MonitorNow }) {
  const [range, setRange] = useState<MonitorRange>('hour')
  const [chosen, choose] = useState<string>()
  // Somebody else may have taken the chosen one away.
  const node = now.nodes.find(({ id }) => id === chosen) ?? now.nodes[0]
  const ranges: Record<MonitorRange, string> = {
    hour: t('1 hour'),
    day: t('24 hours'),
    week: t('7 days'),
    month: t('30 days'),
  }
  return (
    <section className={`panel ${styles.history}`} aria-label={t('Over time')}>
      <h2>
        {t('Over time')}
        <Toggle
          value={range}
          choices={(Object.keys(MONITOR_RANGES) as MonitorRange[]).map((value) => ({ value, label: ranges[value] }))}
          onChange={setRange}
        />
      </h2>
      {node && (
        <div className="inside">
          <h3>
            {now.nodes.length > 1 ? (
              <NativeSelect className="quick-filter" aria-label={t('Node@@server')} value={node.id} onChange={choose}>
                {now.nodes.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </NativeSelect>
            ) : (
              node.name
            )}
          </h3>
          <Charts range={range} node={node.id} names={OF_NODE} figureOf={nodeFigure} limits={now.limits} />
        </div>
      )}
      <div className="inside">
        <h3>{t('All nodes together')}</h3>
        <Charts range={range} names={SHARED} figureOf={sharedFigure} limits={now.limits} />
      </div>
    </section>
  )
}

interface ChartsProps<Name extends string> {
  range: MonitorRange
  /** The installation where there is none. */
  node?: string
  names: readonly Name[]
  figureOf: (name: Name) => ReturnType<typeof nodeFigure>
  limits: MonitorNow['limits']
}

function Charts<Name extends string>({ range, node, names, figureOf, limits }: ChartsProps<Name>) {
  const read = useHistory(range, node)
  const { data } = read
  if (read.error && !data) return <LoadFailed error={read.error} onRetry={() => void read.refetch()} />
  if (!data) return <Skeleton lines={8} />
  return (
    <div className={styles.charts} aria-busy={read.isPlaceholderData}>
      {names.map((name) => {
        const { title, unit, to } = figureOf(name)
        // What all nodes carry together has no limit; what one does has.
        const limit = node || name !== 'sessions' ? limits[name as unknown as LimitedFigure] : undefined
        return <Chart key={name} title={t(title)} unit={unit} to={to?.()} history={data} name={name} limit={limit} />
      })}
    </div>
  )
}
