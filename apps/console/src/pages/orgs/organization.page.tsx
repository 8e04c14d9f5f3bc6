import { PERMISSION } from '@sallyport/contract/access.ts'
import { type Organization, organization } from '@sallyport/contract/resources/orgs/organization.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailItem } from '../../generic/view/detail-view.ts'
import type { ColumnView } from '../../generic/view/list-view.ts'
import { formatNumber } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { MemberList } from './MemberList.tsx'
import { deleteOrg } from './org-deletion.tsx'
import { nameInSelector } from './selector.ts'

export const routes = resourcePlaces('Organization', {
  menu: 'xpack',
  order: 20,
  bits: PERMISSION.super,
  license: true,
  path: '/xpack/orgs',
  titles: {
    List: msg('Organizations'),
    Create: msg('Create organization'),
    Update: msg('Update organization'),
    Detail: msg('Organization detail'),
  },
})

/** Counts, in the order of the list (docs/rules/orgs.md#counts). */
const COUNTS: readonly (readonly [string, string])[] = [
  ['users_amount', msg('Users@@field')],
  ['groups_amount', msg('User groups@@card')],
  ['assets_amount', msg('Assets@@count')],
  ['admin_users_amount', msg('Admin users@@count')],
  ['system_users_amount', msg('System users@@count')],
  ['applications_amount', msg('Applications@@count')],
  ['asset_perms_amount', msg('Asset permissions@@count')],
  ['app_perms_amount', msg('Application permissions@@count')],
]
const amount = (row: Organization, name: string) => Number(row.resource_statistics[name] ?? 0)

const countColumns = COUNTS.map(
  ([name, title]): ColumnView<Organization> => ({
    field: `resource_statistics.${name}`,
    title,
    width: 90,
    align: 'right',
    cell: ({ row }) => formatNumber(amount(row, name)),
  }),
)
const countItems = COUNTS.map(
  ([name, title]): DetailItem<Organization> => ({
    field: `resource_statistics.${name}`,
    title,
    // What there is none of is folded away.
    render: (row) => amount(row, name) || '',
  }),
)

const unlessDefault = ({ is_default }: Organization) => !is_default || t('The default organization stays')

export const organizationPages = definePages<Organization>(organization, {
  list: {
    columns: ['name', ...countColumns, 'comment'],
    defaultColumns: ['name', ...countColumns.map(({ field }) => field), 'comment'],
    hasExport: false,
    canDelete: unlessDefault,
  },
  form: {
    groups: [{ title: '', fields: ['name', 'comment'] }],
    saveAndContinue: false,
    // The member lists are kept: an update names only what the form shows.
    method: 'PATCH',
    next: (saved, { mode }) => {
      nameInSelector({ id: saved.id, name: String(saved.name) })
      // A new organization has no members yet: they are added where this leads.
      return mode === 'create' ? `/xpack/orgs/${saved.id}?activeTab=OrganizationMembershipList` : '/xpack/orgs'
    },
  },
  detail: {
    states: (row) => [row.is_default ? { tone: 'info', words: t('Default organization') } : undefined],
    lead: (row) => [
      t('{{count|person|people}}', { count: amount(row, 'users_amount') }),
      t('{{count|asset|assets}}', { count: amount(row, 'assets_amount') }),
      t('{{count|permission|permissions}}', { count: amount(row, 'asset_perms_amount') }),
    ],
    fields: [...countItems, 'comment'],
    tabs: [{ name: 'OrganizationMembershipList', title: msg('Organization membership'), component: MemberList }],
    canDelete: unlessDefault,
  },
  deletion: deleteOrg,
})

export const pages = { Organization: organizationPages }
