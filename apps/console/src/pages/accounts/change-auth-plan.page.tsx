import { type ChangeAuthPlan, changeAuthPlan } from '@sallyport/contract/resources/accounts/change-auth-plan.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import type { FormValues } from '../../generic/view/form-view.ts'
import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { ListTabs, type TabbedList } from '../ListTabs.tsx'
import type { PageProps } from '../page-props.ts'
import { appChangeAuthPlanPages } from './app-change-auth-plan.page.tsx'
import { PlanExecutions } from './plans/PlanExecutions.tsx'
import { PlanTargets } from './plans/PlanTargets.tsx'
import { rehearsePlan, runPlan } from './plans/plan-runs.ts'
import { recipientsGroup } from './plans/recipient-fields.ts'
import { scheduleGroup } from './schedule-fields.ts'
import { scheduleColumn, scheduleItem, scheduleWords } from './schedule-words.ts'

export const routes = resourcePlaces('AssetChangeAuthPlan', {
  menu: 'accounts',
  order: 40,
  license: true,
  path: '/accounts/change-auth-plan',
  alsoAt: {
    '/accounts/change-auth-plan/plan': 'activeTab=AssetChangeAuthPlanList',
    '/accounts/change-auth-plan/app-plan': 'activeTab=AppChangeAuthPlanList',
  },
  paths: {
    Create: '/accounts/change-auth-plan/plan/create',
    Update: '/accounts/change-auth-plan/plan/:id/update',
    Detail: '/accounts/change-auth-plan/plan/:id',
  },
  titles: {
    List: msg('Change auth plans'),
    Create: msg('Create change auth plan'),
    Update: msg('Update change auth plan'),
    Detail: msg('Change auth plan detail'),
  },
})

const changesPassword = (values: FormValues) => values.is_password === true
const changesKey = (values: FormValues) => values.is_ssh_key === true

export const changeAuthPlanPages = definePages<ChangeAuthPlan>(changeAuthPlan, {
  list: {
    columns: [
      'name',
      'username',
      'assets_amount',
      'nodes_amount',
      'password_strategy_display',
      'is_periodic',
      scheduleColumn,
      'run_times',
      'comment',
      'org_name',
    ],
    defaultColumns: ['name', 'username', 'password_strategy_display', 'periodic_display', 'run_times'],
    minColumns: ['name'],
    rowActions: [
      { name: 'execute', title: msg('Run@@action'), order: 40, run: runPlan },
      { name: 'rehearse', title: msg('Dry run@@action'), order: 50, run: rehearsePlan },
    ],
    canBulkDelete: false,
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name'] },
      { title: msg('Asset'), fields: ['username', 'assets', 'nodes'] },
      {
        title: msg('Password strategy'),
        fields: [
          'is_password',
          { name: 'password_strategy', widget: 'radio', visibleWhen: changesPassword },
          {
            name: 'password',
            visibleWhen: (values) => changesPassword(values) && values.password_strategy === 'custom',
          },
          {
            name: 'password_rules',
            initial: { length: 30 },
            visibleWhen: (values) => changesPassword(values) && values.password_strategy !== 'custom',
          },
        ],
      },
      {
        title: msg('Secret key strategy'),
        fields: [
          'is_ssh_key',
          { name: 'ssh_key_strategy', widget: 'radio', visibleWhen: changesKey },
          { name: 'private_key', widget: 'key-file', visibleWhen: changesKey },
          { name: 'passphrase', widget: 'password', visibleWhen: changesKey },
        ],
      },
      scheduleGroup,
      recipientsGroup,
      { title: msg('Other'), fields: ['comment'] },
    ],
    method: 'PATCH',
  },
  detail: {
    lead: (row) => [row.username, row.password_strategy_display, scheduleWords(row)],
    primary: { name: 'execute', title: msg('Run@@action'), run: runPlan },
    quickActions: [
      {
        name: 'rehearse',
        title: msg('Try everything except the change'),
        button: msg('Dry run@@action'),
        run: rehearsePlan,
      },
    ],
    fields: ['name', 'username', 'assets_amount', 'nodes_amount', 'password_strategy_display', scheduleItem, 'comment'],
    tabs: [
      { name: 'ChangeAuthPlanAsset', title: msg('Assets and nodes'), component: PlanTargets },
      { name: 'ChangeAuthPlanExecutionList', title: msg('Runs@@list'), component: PlanExecutions },
    ],
  },
})

const LISTS: readonly TabbedList[] = [
  {
    name: 'AssetChangeAuthPlanList',
    title: msg('Assets@@tab'),
    pages: changeAuthPlanPages,
    base: 'AssetChangeAuthPlan',
  },
  {
    name: 'AppChangeAuthPlanList',
    title: msg('Applications@@tab'),
    pages: appChangeAuthPlanPages,
    base: 'AppChangeAuthPlan',
  },
]

/** Plans for assets and for applications, each in a tab. */
export function ChangeAuthPlanList({ title }: PageProps) {
  return (
    <ListTabs
      title={title}
      lead={msg('A plan changes passwords and keys, proves each by a login, and keeps the old one until then.')}
      lists={LISTS}
    />
  )
}

export const pages = {
  AssetChangeAuthPlan: changeAuthPlanPages,
  AssetChangeAuthPlanList: ChangeAuthPlanList,
}
