import { TabPage } from '../../../generic/detail/TabPage.tsx'
import { ResourceTable } from '../../../generic/list/ResourceTable.tsx'
import { t } from '../../../lib/i18n.ts'
import { PageFrame } from '../../../navigation/PageFrame.tsx'
import type { PageProps } from '../../page-props.ts'
import { JobList } from './JobList.tsx'
import { MonitorFigures } from './MonitorFigures.tsx'
import { periodTaskPages } from './period-task-table.tsx'
import { QueueList } from './QueueList.tsx'
import { WorkerList } from './WorkerList.tsx'

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
