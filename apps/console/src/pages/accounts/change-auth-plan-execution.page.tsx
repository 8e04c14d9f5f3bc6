import {
  type ChangeAuthPlanExecution,
  changeAuthPlanExecution,
} from '@sallyport/contract/resources/accounts/change-auth-plan-execution.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import { formatDuration } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { openTaskLog } from '../windows.ts'
import { ExecutionTasks } from './plans/ExecutionTasks.tsx'
import { executionState, planName } from './plans/execution-result.ts'
import { recipientsItem } from './Recipients.tsx'

export const routes = resourcePlaces('AssetChangeAuthPlanExecution', {
  menu: 'accounts',
  license: true,
  path: '/accounts/change-auth-plan/plan-execution',
  active: '/accounts/change-auth-plan',
  titles: { Detail: msg('Plan run') },
})

export const executionPages = definePages<ChangeAuthPlanExecution>(changeAuthPlanExecution, {
  detail: {
    states: (row) => [executionState(row), row.is_rehearsal ? { tone: 'info', words: t('Dry run') } : undefined],
    lead: (row) => [row.username, row.trigger_display],
    primary: { name: 'log', title: msg('Log'), run: ({ id }) => openTaskLog(id) },
    top: ExecutionTasks,
    fields: [
      'username',
      'assets_amount',
      'nodes_amount',
      'password_strategy_display',
      { field: 'timedelta', render: (row) => formatDuration(row.timedelta) },
      'date_start',
      recipientsItem,
    ],
  },
  rowTitle: planName,
  home: (row) => (row ? `/accounts/change-auth-plan/plan/${row.plan}` : '/accounts/change-auth-plan'),
})

export const pages = { AssetChangeAuthPlanExecution: executionPages }
