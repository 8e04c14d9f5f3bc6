import { application } from '@sallyport/contract/resources/applications/application.ts'
import {
  APPLICATION_TYPES,
  type ApplicationType,
  applicationType,
  typesOf,
} from '@sallyport/contract/resources/applications/application-types.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import {
  APPLICATION_ACTIONS,
  type ApplicationPermission,
  applicationPermission,
  TYPES_WITH_DATABASES,
} from '@sallyport/contract/resources/perms/application-permission.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import type { FormContext, WidgetProps } from '../../generic/view/form-view.ts'
import { ActionsTree } from '../../generic/widgets/TickTree.tsx'
import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { APPLICATION_TREE_KEYS, ApplicationTree } from '../ApplicationTree.tsx'
import { activeAction } from '../active-action.ts'
import { kindsOf } from '../application-kinds.ts'
import { systemUserWords } from '../assets/system-user-words.ts'
import { bulkActive } from '../bulk-active.ts'
import { checkAccess } from '../check-access.ts'
import { reachTab } from '../reach/Reach.tsx'
import { lifeStates } from '../row-states.ts'
import { fittingSystemUsers } from './fitting-system-users.ts'
import { ApplicationPermissionSummary } from './PermissionSummary.tsx'
import { applicationAmountColumns, COMMON_COLUMNS } from './permission-columns.tsx'
import { APPLICATION_PERMISSIONS } from './permission-family.ts'
import { fromQuery, HOW_LONG, OTHER, WHO } from './permission-form.ts'
import { ApplicationsTab, usersTab } from './permission-tabs.ts'

export const routes = resourcePlaces('ApplicationPermission', {
  menu: 'perms',
  order: 20,
  path: '/perms/app-permissions',
  titles: {
    List: msg('Application permissions'),
    Create: msg('Create application permission'),
    Update: msg('Update application permission'),
    Detail: msg('Application permission detail'),
  },
})

/** The type of a new permission comes with the address; a stored one, and its copy, keep theirs. */
function typeOf({ row, query }: FormContext): ApplicationType {
  const asked = row?.type ?? query.get('type')
  return applicationType(asked) ? (asked as ApplicationType) : 'mysql'
}
const categoryOf = (context: FormContext) => APPLICATION_TYPES[typeOf(context)].category

/** What can be done with applications of the category. */
function ApplicationActions(props: WidgetProps<string[]>) {
  const choices = APPLICATION_ACTIONS[categoryOf(props.context)].map((value) => ({ value, display_name: value }))
  return <ActionsTree {...props} field={{ ...props.field, choices }} />
}

export const applicationPermissionPages = definePages<ApplicationPermission>(applicationPermission, {
  list: {
    columns: [
      'name',
      'is_valid',
      { field: 'type_display', title: msg('Type') },
      { field: 'category_display', title: msg('Category') },
      ...applicationAmountColumns,
      ...COMMON_COLUMNS,
    ],
    defaultColumns: [
      'name',
      'type_display',
      'users_amount',
      'user_groups_amount',
      'applications_amount',
      'system_users_amount',
      'is_valid',
    ],
    foldFirst: ['user_groups_amount'],
    hideSearch: ['category', 'type'],
    leftTree: ApplicationTree,
    treeKeys: APPLICATION_TREE_KEYS,
    createKinds: () => kindsOf(['remote_app', 'db', 'cloud'].flatMap(typesOf)),
    bulkActions: bulkActive(applicationPermission),
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name'] },
      WHO,
      {
        title: msg('Application'),
        lead: msg('To which applications, and with which account'),
        fields: [
          { name: 'category', initial: categoryOf, visibleWhen: () => false, keepHidden: true },
          { name: 'type', widget: 'select', initial: typeOf, disabledWhen: () => true },
          {
            name: 'applications',
            initial: fromQuery('application'),
            required: true,
            depends: ({ type }) => ({
              from: { path: application.path, display: '{name}', query: { type: String(type) } },
            }),
          },
          {
            name: 'system_users',
            required: true,
            depends: ({ type }) => ({
              from: { path: systemUser.path, display: systemUserWords, query: fittingSystemUsers(type) },
            }),
          },
          { name: 'databases', visibleWhen: ({ type }) => TYPES_WITH_DATABASES.includes(String(type)) },
        ],
      },
      {
        title: msg('Action'),
        lead: msg('Actions@@permission'),
        fields: [{ name: 'actions', widget: ApplicationActions, initial: ['all'] }],
      },
      HOW_LONG,
      OTHER,
    ],
  },
  detail: {
    states: (row) => lifeStates(row),
    lead: (row) => [row.type_display],
    top: ApplicationPermissionSummary,
    fields: [
      { field: 'category_display', title: msg('Category') },
      { field: 'type_display', title: msg('Type') },
      'date_start',
      'date_expired',
      'from_ticket',
      'comment',
    ],
    quickActions: [
      activeAction({ path: applicationPermission.path, asksFor: (row) => row.name }),
      checkAccess('permission'),
    ],
    tabs: [
      {
        name: 'ApplicationPermissionUser',
        title: msg('Users and user groups'),
        component: usersTab(APPLICATION_PERMISSIONS),
      },
      {
        name: 'ApplicationsPermission',
        title: msg('Applications and accounts'),
        component: ApplicationsTab,
      },
      { name: 'ApplicationPermissionReach', title: msg('Within reach'), component: reachTab('permission') },
    ],
  },
})

export const pages = { ApplicationPermission: applicationPermissionPages }
