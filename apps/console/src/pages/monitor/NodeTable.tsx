import type {
  LimitedFigure,
  MonitorNode,
  MonitorNow,
  NodeFigure,
} from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { Status } from '../../design/Status.tsx'
import { When } from '../../generic/cells/When.tsx'
import { t } from '../../lib/i18n.ts'
import { MonitorTable } from '../ops/monitor/MonitorTable.tsx'
import { formatFigure, nodeFigure } from './figures.ts'

const SHOWN = [
  'sessions',
  'cpu',
  'memory',
  'disk',
  'loop_delay',
  'database_delay',
  'process_memory',
] as const satisfies readonly NodeFigure[]

/** Every node with its figures of the last minute. */
export function NodeTable({ now: { nodes, limits } }: { now: MonitorNow }) {
  return (
    <section className="panel" aria-label={t('Nodes@@servers')}>
      <h2>{t('Nodes@@servers')}</h2>
      <MonitorTable
        label={t('Nodes@@servers')}
        rows={nodes}
        keyOf={({ id }) => id}
        none={t('No nodes')}
        columns={[
          { title: t('Node@@server'), draw: ({ name }: MonitorNode) => name },
          { title: t('State'), draw: (node) => <State of={node} /> },
          ...SHOWN.map((name) => ({
            title: t(nodeFigure(name).title),
            isNumber: true,
            draw: ({ figures }: MonitorNode) => (
              <Value name={name} value={figures?.[name]} limit={limits[name as LimitedFigure]} />
            ),
          })),
        ]}
      />
    </section>
  )
}

function State({ of: { state, date_seen } }: { of: MonitorNode }) {
  if (state === 'running') return <Status tone="good">{t('Running@@node')}</Status>
  return (
    <>
      {state === 'silent' ? (
        <Status tone="danger">{t('Does not answer')}</Status>
      ) : (
        <Status tone="quiet">{t('Stopped')}</Status>
      )}{' '}
      <small className="quiet">
        <When value={date_seen} />
      </small>
    </>
  )
}

function Value({ name, value, limit }: { name: NodeFigure; value: number | undefined; limit: number | undefined }) {
  if (value === undefined) return null
  return (
    <span className={limit !== undefined && value > limit ? 'bad' : undefined}>
      {formatFigure(nodeFigure(name).unit, value)}
    </span>
  )
}
