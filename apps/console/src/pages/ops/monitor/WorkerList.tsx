import type { WorkerNode } from '@sallyport/contract/resources/ops/task-monitor.ts'
import { Status } from '../../../design/Status.tsx'
import { t } from '../../../lib/i18n.ts'
import { MonitorTable } from './MonitorTable.tsx'
import { useMonitor } from './use-monitor.ts'

const runningOf = ({ work }: WorkerNode) => work.filter(({ running }) => running.length > 0)

function State({ of: node }: { of: WorkerNode }) {
  if (!node.is_reached) return <Status tone="danger">{t('Does not answer')}</Status>
  if (!node.roles.includes('worker')) return <Status tone="quiet">{t('Not a worker')}</Status>
  return runningOf(node).length ? <Status tone="info">{t('Working')}</Status> : <Status tone="good">{t('Idle')}</Status>
}

/** The nodes, and what each is working at. */
export function WorkerList() {
  const read = useMonitor<WorkerNode[]>('workers')
  return (
    <MonitorTable
      label={t('Workers')}
      read={read}
      rows={read.data}
      keyOf={({ id }) => id}
      none={t('No workers')}
      columns={[
        { title: t('Node@@server'), draw: ({ name }) => name },
        { title: t('State'), draw: (node) => <State of={node} /> },
        { title: t('Roles'), draw: ({ roles }) => roles.join(', ') },
        { title: t('Queues'), isNumber: true, draw: ({ work }) => work.length },
        {
          title: t('Running'),
          draw: (node) =>
            runningOf(node)
              .map(({ queue, running, concurrency }) => `${queue} ${running.length}/${concurrency}`)
              .join(', '),
        },
      ]}
    />
  )
}
