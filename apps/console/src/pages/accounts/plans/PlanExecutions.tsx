import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import { appChangeAuthPlanExecution } from '@sallyport/contract/resources/accounts/app-change-auth-plan-execution.ts'
import {
  type ChangeAuthPlanExecution,
  changeAuthPlanExecution,
} from '@sallyport/contract/resources/accounts/change-auth-plan-execution.ts'
import { ResourceTable } from '../../../generic/list/ResourceTable.tsx'
import { definePages } from '../../../generic/view/define-pages.ts'
import type { DetailProps } from '../../../generic/view/detail-view.ts'
import { formatDuration } from '../../../lib/format.ts'
import { msg } from '../../../lib/i18n.ts'
import { openTaskLog } from '../../windows.ts'
import { type RunOfPlan, resultOf } from './execution-result.ts'

const POLL_MS = 5000

type Run = RunOfPlan & Pick<ChangeAuthPlanExecution, 'id' | 'timedelta'>

/** The runs of one kind of plan; `amounts`: how much each was about. */
const runs = (definition: ResourceDefinition, amounts: readonly string[], shown: readonly string[]) =>
  definePages<Run>(definition, {
    list: {
      columns: [
        'date_start',
        { field: 'result_summary', sorter: false, cell: ({ row }) => resultOf(row) },
        'is_rehearsal',
        'trigger_display',
        'username',
        ...amounts,
        'password_strategy_display',
        { field: 'timedelta', sorter: false, cell: ({ row }) => formatDuration(row.timedelta) },
      ],
      defaultColumns: ['date_start', 'result_summary', 'is_rehearsal', 'trigger_display', ...shown, 'timedelta'],
      linkColumn: 'date_start',
      rowActions: [{ name: 'log', title: msg('Log'), run: ({ id }) => openTaskLog(id) }],
      refetchInterval: POLL_MS,
    },
  })

const assetRuns = runs(changeAuthPlanExecution, ['assets_amount', 'nodes_amount'], [])
const applicationRuns = runs(appChangeAuthPlanExecution, ['apps_amount', 'system_users_amount'], ['username'])

/** What became of a plan for assets, each time that it ran. */
export function PlanExecutions({ row: { id } }: DetailProps) {
  return (
    <ResourceTable pages={assetRuns} base="AssetChangeAuthPlanExecution" inAddress={false} query={{ plan_id: id }} />
  )
}

/** What became of a plan for applications, each time that it ran. */
export function AppPlanExecutions({ row: { id } }: DetailProps) {
  return (
    <ResourceTable
      pages={applicationRuns}
      base="AppChangeAuthPlanExecution"
      inAddress={false}
      query={{ plan_id: id }}
    />
  )
}
