import { type LoginAcl, loginAcl } from '@sallyport/contract/resources/acls/login-acl.ts'
import { Link } from 'react-router'
import { definePages } from '../../generic/view/define-pages.ts'
import type { FormContext, FormFieldView, FormValues } from '../../generic/view/form-view.ts'
import { WeekTimeText } from '../../generic/widgets/week-time/WeekTimeText.tsx'
import type { TimePeriod } from '../../generic/widgets/week-time/week-time.ts'
import { withQuery } from '../../lib/api.ts'
import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { activeAction } from '../active-action.ts'
import { activeState } from '../row-states.ts'
import { LoginRuleSummary } from './LoginRuleSummary.tsx'
import { wholeNames } from './WholeNames.tsx'

export const routes = resourcePlaces('UserLoginACL', {
  menu: 'users',
  order: 20,
  path: '/users/user-login-acl',
  active: '/users/users',
  titles: {
    Create: msg('Create sign-in rule'),
    Update: msg('Update sign-in rule'),
    Detail: msg('Sign-in rule'),
  },
})

/** Login rules have no list page of their own: they live in their person's tab (A2.88). */
const personTab = (user: unknown) =>
  `${addressOf('UserDetail', { id: String(user) }) ?? '/'}?activeTab=UserLoginACLList`

/** Reading a rule needs the person it is about (docs/rules/acls.md#login_acl). */
const addressOfRule = (kind: 'Detail' | 'Update', { id, user }: Pick<LoginAcl, 'id' | 'user'>) =>
  withQuery(addressOf(`UserLoginACL${kind}`, { id }) ?? '/', { user })

const rulesOf = (row: LoginAcl) => row.rules as { ip_group: string[]; time_period: TimePeriod[] }
const RULES: FormFieldView['inside'] = {
  ip_group: {
    widget: wholeNames({ any: msg('Any address') }),
    placeholder: '10.0.0.8, 10.0.0.0/24, 10.0.0.1-10.0.0.20',
    help: msg('Addresses, networks and ranges from which they sign in.'),
  },
}
const isConfirm = ({ action }: FormValues) => action === 'confirm'

export const loginAclPages = definePages<LoginAcl>(loginAcl, {
  list: {
    columns: [
      { field: 'name', cell: ({ row }) => <Link to={addressOfRule('Detail', row)}>{row.name}</Link> },
      { field: 'reviewers_amount', sorter: false },
      'priority',
      { field: 'user_display', sorter: false },
      { field: 'action', cell: ({ row }) => row.action_display },
      'is_active',
      'comment',
    ],
    defaultColumns: ['name', 'priority', 'is_active', 'user_display', 'action', 'comment'],
    minColumns: ['name'],
    canUpdate: false,
    canClone: false,
    canBulkDelete: false,
    hasImport: false,
    hasExport: false,
    rowActions: [
      { name: 'change', title: msg('Update'), order: 10, run: (row, { go }) => go(addressOfRule('Update', row)) },
    ],
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name', 'priority'] },
      {
        title: msg('User'),
        fields: [
          {
            name: 'user',
            initial: ({ query }: FormContext) => query.get('user') ?? undefined,
            disabledWhen: (_, { query }) => query.has('user'),
            from: {
              path: '/api/v1/users/users/',
              display: '{name}({username})',
              query: { fields_size: 'mini', all: true },
            },
          },
        ],
      },
      {
        title: msg('Rules'),
        fields: [{ name: 'rules', initial: { ip_group: ['*'], time_period: [] }, inside: RULES }],
      },
      {
        title: msg('Action'),
        fields: [
          'action',
          {
            name: 'reviewers',
            visibleWhen: isConfirm,
            required: isConfirm,
            from: {
              path: '/api/v1/users/users/',
              display: '{name}({username})',
              query: { fields_size: 'mini', all: true, is_service: false },
            },
          },
        ],
      },
      { title: msg('Other'), folded: true, fields: ['is_active', 'comment'] },
    ],
    toBody: (body) => ({ ...body, reviewers: isConfirm(body) ? body.reviewers : [] }),
    query: ({ query }) => ({ user: query.get('user') }),
    next: (saved) => personTab(saved.user),
    saveAndContinue: false,
  },
  detail: {
    states: (row) => [activeState(row)],
    top: LoginRuleSummary,
    fields: [
      {
        field: 'user_display',
        render: (row) => row.user_display,
        address: (row) => addressOf('UserDetail', { id: row.user }),
      },
      { field: 'ip_group', title: msg('IP group'), render: (row) => rulesOf(row).ip_group.join(', ') },
      {
        field: 'time_period',
        title: msg('Time period'),
        render: (row) => <WeekTimeText periods={rulesOf(row).time_period} />,
      },
      { field: 'action_display', title: msg('Action') },
      'priority',
      { field: 'reviewers_display', has: (row) => row.action === 'confirm' },
      'comment',
    ],
    quickActions: [activeAction(loginAcl, { title: msg('Active') })],
    canUpdate: false,
    canDelete: false,
  },
  home: (row, query) => personTab(row?.user ?? query.get('user')),
  rowQuery: (address) => ({ user: address.get('user') }),
})

export const pages = { UserLoginACL: loginAclPages }
