import { type SyncHistory as Run, syncHistory } from '@sallyport/contract/resources/cloud/sync-history.ts'
import type { SyncInstanceTask } from '@sallyport/contract/resources/cloud/sync-instance-task.ts'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { msg } from '../../lib/i18n.ts'
import { RunState } from '../accounts/RunState.tsx'
import { openTaskLog } from '../windows.ts'
import { SYNC_COUNTS } from './sync-counts.ts'

const POLL_MS = 5000

const runs = definePages<Run>(syncHistory, {
  list: {
    columns: [
      'date_sync',
      {
        field: 'status',
        width: 128,
        cell: ({ row }) => <RunState isOver={row.status !== null} isGood={row.status === 1} />,
      },
      ...SYNC_COUNTS,
      { field: 'reason', sorter: false },
    ],
    linkColumn: 'date_sync',
    refetchInterval: POLL_MS,
    rowActions: [{ name: 'log', title: msg('Log'), run: ({ id }) => openTaskLog(id) }],
  },
})

/** What became of a task, each time that it ran. */
export function SyncHistory({ row }: DetailProps<SyncInstanceTask>) {
  const path = syncHistory.path.replace(':task_id', row.id)
  return <ResourceTable pages={runs} base="SyncHistory" path={path} inAddress={false} />
}
