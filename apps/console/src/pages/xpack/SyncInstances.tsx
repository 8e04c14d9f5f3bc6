import { type SyncInstance, syncInstance } from '@sallyport/contract/resources/cloud/sync-instance.ts'
import { type SyncInstanceTask, syncInstanceTask } from '@sallyport/contract/resources/cloud/sync-instance-task.ts'
import { Link } from 'react-router'
import { confirmDanger, showSuccess } from '../../design/dialogs/feedback.tsx'
import { Status } from '../../design/Status.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import type { ActionContext } from '../../generic/view/actions.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { api } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'

const TONES = ['danger', 'info', 'good', 'warning'] as const

const instancesOf = (task: string) =>
  definePages<SyncInstance>(syncInstance, {
    list: {
      columns: [
        'instance_id',
        { field: 'asset_display', sorter: false, cell: ({ row }) => <Asset row={row} /> },
        'region',
        {
          field: 'status',
          width: 128,
          cell: ({ row }) => <Status tone={TONES[row.status] ?? 'quiet'}>{row.status_display}</Status>,
        },
        { field: 'reason', sorter: false },
        'date_sync',
      ],
      headerActions: [
        { name: 'delete-released', title: msg('Delete released assets'), run: (context) => askToDelete(task, context) },
      ],
    },
  })

function Asset({ row }: { row: SyncInstance }) {
  const address = row.asset ? addressOf('AssetDetail', { id: row.asset }) : undefined
  return address ? <Link to={address}>{row.asset_display}</Link> : row.asset_display
}

function askToDelete(task: string, { refresh }: ActionContext): void {
  confirmDanger({
    title: t('Delete released assets?'),
    content: t(
      'Assets of machines that no task finds in their cloud any more are deleted, with their accounts and permissions.',
    ),
    okText: t('Delete'),
    onOk: async () => {
      await api.delete(`${syncInstanceTask.path}${task}/released-assets/`)
      showSuccess(t('The released assets were deleted'))
      await refresh()
    },
  })
}

/** Machines that a task knows, and their assets. */
export function SyncInstances({ row }: DetailProps<SyncInstanceTask>) {
  const path = syncInstance.path.replace(':task_id', row.id)
  return <ResourceTable pages={instancesOf(row.id)} base="SyncInstance" path={path} inAddress={false} />
}
