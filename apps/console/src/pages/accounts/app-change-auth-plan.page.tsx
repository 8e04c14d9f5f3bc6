import {
  type AppChangeAuthPlan,
  appChangeAuthPlan,
  CHANGEABLE_TYPES,
  PLAN_TYPES,
} from '@sallyport/contract/resources/accounts/app-change-auth-plan.ts'
import { application } from '@sallyport/contract/resources/applications/application.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { TRIED } from '@sallyport/contract/tried.ts'
import { countLink, tabOf } from '../../generic/cells/count-link.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { FormContext, FormValues } from '../../generic/view/form-view.ts'
import { kindField } from '../../generic/view/kind-field.ts'
import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { AppPlanSystemUsers } from './plans/AppPlanSystemUsers.tsx'
import { AppPlanExecutions } from './plans/PlanExecutions.tsx'
import { rehearseAppPlan, runAppPlan } from './plans/plan-runs.ts'
import { recipientsGroup } from './plans/recipient-fields.ts'
import { scheduleGroup } from './schedule-fields.ts'
import { scheduleColumn, scheduleItem, scheduleWords } from './schedule-words.ts'

export const routes = resourcePlaces('AppChangeAuthPlan', {
  menu: 'accounts',
  license: true,
  path: '/accounts/change-auth-plan/app-plan',
  active: '/accounts/change-auth-plan',
  titles: {
    Create: msg('Create app change auth plan'),
    Update: msg('Update app change auth plan'),
    Detail: msg('App change auth plan detail'),
  },
})

const plansTab = () => `${addressOf('AssetChangeAuthPlanList') ?? '/'}?activeTab=AppChangeAuthPlanList`

/** The type of a new plan comes with the address; a stored one, and its copy, keep theirs. */
function typeOf({ row, query }: FormContext): string {
  const asked = row?.type ?? query.get('type')
  return CHANGEABLE_TYPES.find((type) => type === asked) ?? CHANGEABLE_TYPES[0]
}

const isRandom = ({ password_strategy: strategy }: FormValues) => strategy !== 'custom'

export const appChangeAuthPlanPages = definePages<AppChangeAuthPlan>(appChangeAuthPlan, {
  list: {
    columns: [
      'name',
      'type',
      'systemuser_display',
      'password_strategy_display',
      'is_periodic',
      scheduleColumn,
      {
        field: 'run_times',
        width: 112,
        cell: countLink(tabOf('AppChangeAuthPlanDetail', 'AppChangeAuthPlanExecutionList')),
      },
      'comment',
      'org_name',
    ],
    defaultColumns: ['name', 'type', 'password_strategy_display', 'periodic_display', 'run_times'],
    minColumns: ['name'],
    hideSearch: ['category'],
    // Names of products.
    createKinds: CHANGEABLE_TYPES.map((type) => ({
      name: type,
      title: PLAN_TYPES[type],
      query: { category: 'db', type },
    })),
    rowActions: [
      { name: 'execute', title: msg('Run@@action'), order: 40, run: runAppPlan },
      { name: 'rehearse', title: msg('Dry run@@action'), order: 50, run: rehearseAppPlan },
    ],
    canBulkDelete: false,
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name'] },
      {
        title: msg('Applications'),
        lead: msg('Each system user changes its own password on each of the applications.'),
        fields: [
          { name: 'category', initial: 'db', visibleWhen: () => false, keepHidden: true },
          kindField('type', typeOf, TRIED.applications),
          {
            name: 'apps',
            depends: ({ type }) => ({
              from: { path: application.path, display: '{name}', query: { type: String(type) } },
            }),
          },
          {
            name: 'system_users',
            depends: ({ type }) => ({
              from: { path: systemUser.path, display: systemUser.display, query: { protocol: String(type) } },
            }),
          },
        ],
      },
      {
        title: msg('Password strategy'),
        fields: [
          { name: 'password_strategy', widget: 'radio' },
          { name: 'password', visibleWhen: (values) => !isRandom(values) },
          { name: 'password_rules', initial: { length: 30 }, visibleWhen: isRandom },
        ],
      },
      scheduleGroup,
      recipientsGroup,
      { title: msg('Other'), fields: ['comment'] },
    ],
    method: 'PATCH',
    next: plansTab,
  },
  detail: {
    lead: (row) => [row.systemuser_display, row.password_strategy_display, scheduleWords(row)],
    primary: { name: 'execute', title: msg('Run@@action'), run: runAppPlan },
    quickActions: [
      {
        name: 'rehearse',
        title: msg('Try everything except the change'),
        button: msg('Dry run@@action'),
        run: rehearseAppPlan,
      },
    ],
    fields: ['name', 'type', 'systemuser_display', 'password_strategy_display', scheduleItem, 'comment'],
    tabs: [
      { name: 'ChangeAuthPlanDatabase', title: msg('System users and applications'), component: AppPlanSystemUsers },
      { name: 'AppChangeAuthPlanExecutionList', title: msg('Runs@@list'), component: AppPlanExecutions },
    ],
  },
  home: plansTab,
})

export const pages = { AppChangeAuthPlan: appChangeAuthPlanPages }
