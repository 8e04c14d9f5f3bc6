import {
  type AppChangeAuthPlanExecution,
  appChangeAuthPlanExecution,
} from '@sallyport/contract/resources/accounts/app-change-auth-plan-execution.ts'
import {
  type AppChangeAuthPlanSubtask,
  appChangeAuthPlanSubtask,
} from '@sallyport/contract/resources/accounts/app-change-auth-plan-subtask.ts'
import { linkCell } from '../../../generic/cells/link-cell.tsx'
import { ResourceTable } from '../../../generic/list/ResourceTable.tsx'
import { definePages } from '../../../generic/view/define-pages.ts'
import type { DetailProps } from '../../../generic/view/detail-view.ts'
import { applicationAddress } from '../../application-address.ts'
import { PlanProgress } from './PlanProgress.tsx'
import { retryAction, TASK_POLL_MS, taskColumns } from './task-columns.tsx'

const appCell = linkCell<AppChangeAuthPlanSubtask>(
  ({ app }) => applicationAddress('db', String(app)),
  ({ app_display }) => app_display,
)

const tasks = definePages<AppChangeAuthPlanSubtask>(appChangeAuthPlanSubtask, {
  list: {
    columns: [
      { field: 'app_display', sorter: false, cell: appCell },
      { field: 'system_user_display', sorter: false },
      ...taskColumns,
    ],
    foldFirst: ['date_start', 'timedelta'],
    linkColumn: 'app_display',
    rowActions: [retryAction(appChangeAuthPlanSubtask.path)],
    refetchInterval: TASK_POLL_MS,
  },
})

/** How far a run is, and what became of each account so far. */
export function AppExecutionTasks(props: DetailProps<AppChangeAuthPlanExecution>) {
  return (
    <PlanProgress path={appChangeAuthPlanExecution.path} {...props}>
      <ResourceTable
        pages={tasks}
        base="AppChangeAuthPlanSubtask"
        inAddress={false}
        query={{ plan_execution_id: props.row.id }}
      />
    </PlanProgress>
  )
}
