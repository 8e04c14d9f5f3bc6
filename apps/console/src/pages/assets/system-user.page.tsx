import { typesOf } from '@sallyport/contract/resources/applications/application-types.ts'
import { ASSET_PROTOCOLS } from '@sallyport/contract/resources/assets/protocols.ts'
import { type SystemUser, systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { lazily } from '../../design/lazily.tsx'
import { countLink, tabOf } from '../../generic/cells/count-link.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps, DetailView } from '../../generic/view/detail-view.ts'
import type { CreateKind, ListView } from '../../generic/view/list-view.ts'
import { msg, t } from '../../lib/i18n.ts'
import { protocolName } from '../../lib/protocol-name.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { licenseValid } from '../../session/session.ts'
import { SystemUserAccounts, SystemUserApplicationAccounts } from '../accounts/AccountTabs.tsx'
import { kindsOf } from '../application-kinds.ts'
import { permissionsWith } from '../related.ts'
import { SwitchToUsers } from './SwitchToUsers.tsx'
import { systemUserForm, systemUserList } from './system-user-form.ts'
import { systemUserWords } from './system-user-words.ts'

const SystemUserAssets = lazily<DetailProps<SystemUser>>(() =>
  import('./SystemUserAssets.tsx').then((m) => m.SystemUserAssets),
)

export const routes = resourcePlaces('SystemUser', {
  menu: 'assets',
  order: 50,
  path: '/assets/system-users',
  titles: {
    Create: msg('Create system user'),
    Update: msg('Update system user'),
    Detail: msg('System user detail'),
  },
})

const detail: DetailView<SystemUser> = {
  title: (row) => row.name,
  lead: (row) => [
    row.username_same_with_user ? t('Same name as the person who connects') : row.username,
    protocolName(row.protocol),
    row.login_mode_display,
    row.type_display,
  ],
  fields: [
    { field: 'username', copy: true },
    'username_same_with_user',
    'protocol',
    'login_mode',
    { field: 'by_certificate', has: (row) => row.protocol === 'ssh' },
    'priority',
    { field: 'ssh_key_fingerprint', copy: true },
    'comment',
  ],
  related: ({ id }) => [permissionsWith({ system_user_id: id })],
  tabs: [
    {
      name: 'AssetList',
      title: msg('Assets@@field'),
      component: SystemUserAssets,
      has: (row) => row.is_asset_protocol === true,
    },
    {
      name: 'AccountList',
      title: msg('Accounts'),
      component: SystemUserAccounts,
      has: (row) => row.is_asset_protocol === true && licenseValid(),
    },
    {
      name: 'SwitchToUserList',
      title: msg('Switch to user'),
      component: SwitchToUsers,
      has: (row) => row.protocol === 'ssh',
    },
    {
      name: 'AppAccountList',
      title: msg('Accounts'),
      component: SystemUserApplicationAccounts,
      has: (row) => row.is_asset_protocol !== true && licenseValid(),
    },
  ],
}

const shared: Omit<ListView<SystemUser>, 'columns'> = {
  hideSearch: ['type', 'protocol'],
  // The copy's form is that of its protocol.
  canClone: false,
  rowActions: [
    {
      name: 'clone',
      title: msg('Clone'),
      order: 30,
      run: (row, { go }) =>
        go(`${addressOf('SystemUserCreate')}?protocol=${row.protocol}&type=${row.type}&clone_from=${row.id}`),
    },
  ],
}

const assetsAmount = {
  field: 'assets_amount',
  title: msg('Assets@@field'),
  align: 'right',
  cell: countLink(tabOf('SystemUserDetail', 'AssetList')),
} as const

const kind = (protocol: SystemUser['protocol'], group: string): CreateKind => ({
  name: protocol,
  title: systemUser.fields.protocol.choices[protocol],
  group,
  query: { protocol, type: 'common' },
})

/** Protocols that a new account can have; a database's or cluster's needs a license where its type does. */
function protocolKinds(): readonly CreateKind[] {
  const applications = kindsOf([...typesOf('db'), ...typesOf('cloud')])
  return [
    ...ASSET_PROTOCOLS.map((protocol) => kind(protocol, msg('Host'))),
    // The protocol of each is called as its type.
    ...applications.map(({ name, group = '' }) => kind(name as SystemUser['protocol'], group)),
  ]
}

export const systemUserPages = definePages<SystemUser>(systemUser, {
  list: {
    ...shared,
    columns: [
      'name',
      'username',
      'username_same_with_user',
      'protocol',
      'login_mode',
      assetsAmount,
      { field: 'applications_amount', title: msg('Apps@@field'), align: 'right' },
      'priority',
      'created_by',
      'date_created',
      'date_updated',
      'comment',
      'org_name',
    ],
    defaultColumns: ['name', 'username', 'protocol', 'login_mode', 'assets_amount', 'applications_amount', 'comment'],
    query: { type: 'common' },
    createKinds: () => protocolKinds(),
  },
  form: systemUserForm,
  detail,
  home: (row, query) => systemUserList((row?.type ?? query.get('type')) === 'admin'),
  rowTitle: (row) => systemUserWords(row as never),
})

/** Pre-existing privileged accounts: the same rows, seen as such (A1.24, A1.04). */
export const adminUserPages = definePages<SystemUser>(systemUser, {
  ...(systemUserPages as object),
  list: {
    ...shared,
    createQuery: () => ({ protocol: 'ssh', type: 'admin' }),
    columns: ['name', 'username', assetsAmount, 'created_by', 'date_created', 'date_updated', 'comment', 'org_name'],
    defaultColumns: ['name', 'username', 'assets_amount', 'comment'],
    query: { type: 'admin' },
  },
})

export const pages = { SystemUser: systemUserPages }
