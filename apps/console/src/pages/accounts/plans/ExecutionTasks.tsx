import {
  type ChangeAuthPlanExecution,
  changeAuthPlanExecution,
} from '@sallyport/contract/resources/accounts/change-auth-plan-execution.ts'
import {
  type ChangeAuthPlanSubtask,
  changeAuthPlanSubtask,
} from '@sallyport/contract/resources/accounts/change-auth-plan-subtask.ts'
import { linkCell } from '../../../generic/cells/link-cell.tsx'
import { ResourceTable } from '../../../generic/list/ResourceTable.tsx'
import { definePages } from '../../../generic/view/define-pages.ts'
import type { DetailProps } from '../../../generic/view/detail-view.ts'
import { addressOf } from '../../../navigation/routes.ts'
import { PlanProgress } from './PlanProgress.tsx'
import { retryAction, TASK_POLL_MS, taskColumns } from './task-columns.tsx'

const assetCell = linkCell<ChangeAuthPlanSubtask>(
  ({ asset }) => addressOf('AssetDetail', { id: asset }),
  ({ asset_info }) => String(asset_info.hostname ?? ''),
)

const tasks = definePages<ChangeAuthPlanSubtask>(changeAuthPlanSubtask, {
  list: {
    columns: [{ field: 'asset', sorter: false, cell: assetCell }, 'username', ...taskColumns],
    foldFirst: ['date_start', 'username', 'timedelta'],
    linkColumn: 'asset',
    rowActions: [retryAction(changeAuthPlanSubtask.path)],
    refetchInterval: TASK_POLL_MS,
  },
})

/** How far a run is, and what became of each account so far. */
export function ExecutionTasks(props: DetailProps<ChangeAuthPlanExecution>) {
  return (
    <PlanProgress path={changeAuthPlanExecution.path} {...props}>
      <ResourceTable
        pages={tasks}
        base="AssetChangeAuthPlanSubtask"
        inAddress={false}
        query={{ plan_execution_id: props.row.id }}
      />
    </PlanProgress>
  )
}
