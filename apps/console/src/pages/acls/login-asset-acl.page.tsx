import { type LoginAssetAcl, loginAssetAcl } from '@sallyport/contract/resources/acls/login-asset-acl.ts'
import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { user } from '@sallyport/contract/resources/users/user.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailItem } from '../../generic/view/detail-view.ts'
import type { FormFieldView } from '../../generic/view/form-view.ts'
import type { ColumnView } from '../../generic/view/list-view.ts'
import { msg, t } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { activeState } from '../row-states.ts'
import { AssetRuleSummary } from './AssetRuleSummary.tsx'
import { RuleReach } from './RuleReach.tsx'
import { wholeNames } from './WholeNames.tsx'

export const routes = resourcePlaces('AssetAcl', {
  menu: 'acl',
  license: true,
  path: '/acl/asset-acl',
  titles: {
    List: msg('Asset access rules'),
    Create: msg('Create asset access rule'),
    Update: msg('Update asset access rule'),
    Detail: msg('Asset access rule detail'),
  },
})

type Groups = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

/** The groups of a rule by their way, with their title, and the words for all there are. */
const GROUPS: readonly (readonly [field: string, title: string, any: string])[] = [
  ['users.username_group', msg('Usernames'), msg('Anybody')],
  ['assets.hostname_group', msg('Hostnames'), msg('Any hostname')],
  ['assets.ip_group', msg('Asset addresses'), msg('Any address')],
  ['system_users.name_group', msg('System user names'), msg('Any system user')],
  ['system_users.protocol_group', msg('System user protocols'), msg('Any protocol')],
  ['system_users.username_group', msg('System user usernames'), msg('Any username')],
]

function joined(row: LoginAssetAcl, way: string): string {
  const [object = '', group = ''] = way.split('.')
  return ((row as unknown as Groups)[object]?.[group] ?? []).join(', ')
}

const columns: readonly ColumnView<LoginAssetAcl>[] = GROUPS.map(([field, title, any]) => ({
  field,
  title,
  sorter: false,
  // By itself, on a phone, a star says nothing.
  cell: ({ row }) => (joined(row, field) === '*' ? t(any) : joined(row, field)),
}))
const items: readonly DetailItem<LoginAssetAcl>[] = GROUPS.map(([field, title]) => ({
  field,
  title,
  // Any is what the sentence over it says already.
  render: (row) => (joined(row, field) === '*' ? '' : joined(row, field)),
}))

const USERS: FormFieldView['inside'] = {
  username_group: {
    widget: wholeNames({
      any: msg('Anybody'),
      from: { path: user.path, name: (row) => String(row.username), more: (row) => String(row.name) },
    }),
    placeholder: 'alice, bob',
    help: msg('Names with which people sign in, each in full.'),
  },
}
const ASSETS: FormFieldView['inside'] = {
  hostname_group: {
    widget: wholeNames({
      any: msg('Any hostname'),
      from: { path: asset.path, name: (row) => String(row.hostname), more: (row) => String(row.ip) },
    }),
    placeholder: 'web-1, db-1',
    help: msg('Names of assets and applications, each in full.'),
  },
  ip_group: {
    widget: wholeNames({
      any: msg('Any address'),
      from: { path: asset.path, name: (row) => String(row.ip), more: (row) => String(row.hostname) },
    }),
    placeholder: '10.0.0.8, 10.0.0.0/24, 10.0.0.1-10.0.0.20',
    help: msg('Addresses, networks, ranges or names of hosts.'),
  },
}
const SYSTEM_USERS: FormFieldView['inside'] = {
  name_group: {
    widget: wholeNames({
      any: msg('Any system user'),
      from: { path: systemUser.path, name: (row) => String(row.name), more: (row) => String(row.username) },
    }),
    placeholder: 'deploy',
    help: msg('Names of system users, each in full.'),
  },
  username_group: {
    widget: wholeNames({
      any: msg('Any username'),
      from: { path: systemUser.path, name: (row) => String(row.username), more: (row) => String(row.name) },
    }),
    placeholder: 'root',
    help: msg('The account on the machine, such as root.'),
  },
  protocol_group: { widget: wholeNames({ any: msg('Any protocol'), few: ['ssh', 'rdp', 'telnet', 'vnc'] }) },
}

export const loginAssetAclPages = definePages<LoginAssetAcl>(loginAssetAcl, {
  list: {
    lead: msg('Whoever connects to assets of a rule waits until a reviewer agrees.'),
    columns: ['name', ...columns, { field: 'reviewers_amount', sorter: false }, 'priority', 'is_active', 'comment'],
    defaultColumns: [
      'name',
      'users.username_group',
      'assets.hostname_group',
      'assets.ip_group',
      'reviewers_amount',
      'priority',
      'is_active',
      'comment',
    ],
    minColumns: ['name'],
    canBulkDelete: false,
    hasImport: false,
    hasExport: false,
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name', 'priority'] },
      { title: msg('User'), fields: [{ name: 'users', initial: { username_group: ['*'] }, inside: USERS }] },
      {
        title: msg('Asset'),
        fields: [{ name: 'assets', initial: { hostname_group: ['*'], ip_group: ['*'] }, inside: ASSETS }],
      },
      {
        title: msg('System user'),
        fields: [
          {
            name: 'system_users',
            initial: { name_group: ['*'], username_group: ['*'], protocol_group: ['*'] },
            inside: SYSTEM_USERS,
          },
        ],
      },
      {
        title: msg('Whom it would meet now'),
        lead: msg('Connections of these people to these targets wait for a reviewer.'),
        fields: [{ name: 'reach', label: msg('Of this organization'), local: { type: 'string' }, widget: RuleReach }],
      },
      {
        title: msg('Action'),
        fields: [
          'action',
          {
            name: 'reviewers',
            from: {
              path: '/api/v1/users/users/',
              display: '{name}({username})',
              query: { fields_size: 'mini', is_service: false },
            },
          },
        ],
      },
      { title: msg('Other'), folded: true, fields: ['is_active', 'comment'] },
    ],
    toBody: ({ reach: _, ...body }) => body,
  },
  detail: {
    states: (row) => [activeState(row)],
    top: AssetRuleSummary,
    fields: [{ field: 'action_display', title: msg('Action') }, 'priority', 'comment'],
    groups: [{ title: msg('Rules'), fields: items }],
  },
})

export const pages = { AssetAcl: loginAssetAclPages }
