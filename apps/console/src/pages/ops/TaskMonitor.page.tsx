import { PERMISSION } from '@sallyport/contract/access.ts'
import { TabPage } from '../../generic/detail/TabPage.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { msg, t } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'
import { JobList } from './monitor/JobList.tsx'
import { MonitorFigures } from './monitor/MonitorFigures.tsx'
import { periodTaskPages } from './monitor/period-task-table.tsx'
import { QueueList } from './monitor/QueueList.tsx'
import { WorkerList } from './monitor/WorkerList.tsx'

export const routes = places({
  name: 'JobMonitor',
  menu: 'ops',
  title: msg('Task monitor'),
  // The menu leads there by the address that existing links have (`navigation/menu.ts`).
  path: '/ops/monitor',
  active: '/core/flower/',
  hidden: true,
  bits: PERMISSION.super,
})

/** Work of the server in the background, on all nodes (A2.46). */
export function TaskMonitor({ title }: PageProps) {
  return (
    <PageFrame title={title} lead={t('What the server does in the background, on all nodes. Updated every 5 seconds.')}>
      <MonitorFigures />
      <TabPage
        tabs={[
          { name: 'Jobs', title: t('Jobs'), content: () => <JobList /> },
          { name: 'Queues', title: t('Queues'), content: () => <QueueList /> },
          { name: 'Workers', title: t('Workers'), content: () => <WorkerList /> },
          {
            name: 'PeriodicJobs',
            title: t('Periodic jobs'),
            content: () => <ResourceTable pages={periodTaskPages} base="PeriodTask" inAddress={false} />,
          },
        ]}
      />
    </PageFrame>
  )
}

export const pages = { JobMonitor: TaskMonitor }
