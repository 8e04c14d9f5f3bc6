import {
  type AppChangeAuthPlanExecution,
  appChangeAuthPlanExecution,
} from '@sallyport/contract/resources/accounts/app-change-auth-plan-execution.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import { formatDuration } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { openTaskLog } from '../windows.ts'
import { AppExecutionTasks } from './plans/AppExecutionTasks.tsx'
import { executionState, planName } from './plans/execution-result.ts'
import { recipientsItem } from './Recipients.tsx'

export const routes = resourcePlaces('AppChangeAuthPlanExecution', {
  menu: 'accounts',
  license: true,
  path: '/accounts/change-auth-plan/app-plan-execution',
  active: '/accounts/change-auth-plan',
  titles: { Detail: msg('App plan run') },
})

const inWords = (names: unknown) => (Array.isArray(names) ? names.join(', ') : '')

export const appExecutionPages = definePages<AppChangeAuthPlanExecution>(appChangeAuthPlanExecution, {
  detail: {
    states: (row) => [executionState(row), row.is_rehearsal ? { tone: 'info', words: t('Dry run') } : undefined],
    lead: (row) => [row.username, row.trigger_display],
    primary: { name: 'log', title: msg('Log'), run: ({ id }) => openTaskLog(id) },
    top: AppExecutionTasks,
    fields: [
      { field: 'apps_display', render: (row) => inWords(row.apps_display) },
      { field: 'system_users_display', render: (row) => inWords(row.system_users_display) },
      'apps_amount',
      'system_users_amount',
      'password_strategy_display',
      { field: 'timedelta', render: (row) => formatDuration(row.timedelta) },
      'date_start',
      recipientsItem,
    ],
  },
  rowTitle: planName,
  home: (row) => `/accounts/change-auth-plan/app-plan/${row?.plan ?? ''}`,
})

export const pages = { AppChangeAuthPlanExecution: appExecutionPages }
