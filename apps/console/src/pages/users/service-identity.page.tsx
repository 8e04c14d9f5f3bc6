import { type ServiceIdentity, serviceIdentity } from '@sallyport/contract/resources/authentication/service-identity.ts'
import { assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { StateCell } from '../../generic/cells/StateCell.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { RowState } from '../../generic/view/detail-view.ts'
import type { FormValues } from '../../generic/view/form-view.ts'
import { formatRelative } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf, listOf } from '../../navigation/routes.ts'
import { inRootOrg } from '../../session/session.ts'
import { activeAction } from '../active-action.ts'
import { permissionsWith, sessionsWith } from '../related.ts'
import { validityState } from '../row-states.ts'
import { makeKey, ServiceKeys } from './service-identities/ServiceKeys.tsx'
import { TrustRules, WorkloadTokens } from './service-identities/WorkloadTokens.tsx'

export const routes = resourcePlaces('ServiceIdentity', {
  menu: 'users',
  order: 80,
  path: '/users/service-identities',
  titles: {
    List: msg('Service identities'),
    Create: msg('Create service identity'),
    Update: msg('Update service identity'),
    Detail: msg('Service identity detail'),
  },
})

/** Why it may not call comes before everything else. */
function stateOf(row: ServiceIdentity): RowState {
  switch (row.state) {
    case 'active':
      return { tone: 'good', words: t('Active@@state') }
    case 'disabled':
      return { tone: 'quiet', words: t('Disabled@@state') }
    case 'expired':
      return { tone: 'danger', words: t('Expired') }
    case 'owner_gone':
      return { tone: 'danger', words: t('Stopped: its owner was deleted') }
    case 'owner_disabled':
      return { tone: 'danger', words: t('Stopped: its owner is disabled') }
    default:
      return { tone: 'danger', words: t('Stopped: the account of its owner has expired') }
  }
}

const isLimited = ({ limits_targets }: FormValues) => limits_targets === true

/** Machines and scripts that call by keys of their own. */
export const serviceIdentityPages = definePages<ServiceIdentity>(serviceIdentity, {
  list: {
    columns: [
      'name',
      'username',
      { field: 'state', sorter: false, cell: ({ row }) => <StateCell {...stateOf(row)} /> },
      'owner_display',
      'purpose',
      { field: 'keys_amount', align: 'right' },
      'date_last_used',
      'reads',
      'writes',
      'date_expired',
      'date_created',
      'created_by',
    ],
    defaultColumns: ['name', 'username', 'state', 'owner_display', 'purpose', 'keys_amount', 'date_last_used'],
    lead: msg(
      'Scripts and machines call by keys of their own, with the rights that you give them, until their owner leaves.',
    ),
    none: msg(
      'No script or machine has an identity of its own yet: create one instead of lending it the key of a person',
    ),
    canClone: false,
    hasSelection: false,
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name', 'username', 'owner', 'purpose', 'is_active', 'date_expired'] },
      {
        title: msg('What it may call'),
        lead: msg('Within its roles and permissions: it may do what both this and those allow.'),
        fields: ['reads', 'writes', 'org_roles'],
      },
      {
        title: msg('What it may reach'),
        lead: msg('Sessions need a permission as well. Without a limit, it reaches whatever its permissions name.'),
        fields: [
          'limits_targets',
          { name: 'nodes', visibleWhen: isLimited },
          { name: 'assets', visibleWhen: isLimited },
          { name: 'applications', visibleWhen: isLimited },
        ],
      },
      {
        title: msg('From where'),
        fields: [{ name: 'ip_group', placeholder: '10.0.0.8, 10.0.0.0/24' }],
      },
    ],
  },
  detail: {
    states: (row) => [stateOf(row), row.state === 'active' ? validityState(row) : undefined],
    lead: (row) => [
      row.username,
      t('{{count|valid key|valid keys}}', { count: row.keys_amount ?? 0 }),
      row.date_last_used ? t('Last used {{time}}', { time: formatRelative(row.date_last_used) }) : t('Never used'),
    ],
    nextSteps: [
      {
        title: msg('Make a key'),
        lead: msg(
          'The script sends it with each request. Jobs of GitHub, GitLab or a cluster need none: see Trust rules.',
        ),
        button: msg('Make a key'),
        run: (row, { refresh }) => makeKey(row, refresh),
        done: ({ keys_amount }) => Boolean(keys_amount),
      },
      {
        title: msg('Permit assets'),
        lead: msg('An asset permission that names it, as for a person. Not needed by scripts that call the API alone.'),
        button: msg('Create permission'),
        has: () => !inRootOrg(),
        address: ({ id }) => listOf('AssetPermissionCreate', { user: id }),
        done: ({ id }) => ({ path: assetPermission.path, query: { user_id: id } }),
      },
    ],
    fields: [
      { field: 'username', copy: true },
      {
        field: 'owner_display',
        address: ({ owner }) => (owner ? addressOf('UserDetail', { id: owner }) : undefined),
      },
      'purpose',
      'reads',
      'writes',
      'org_roles',
      'limits_targets',
      ...(['nodes', 'assets', 'applications'] as const).map((field) => ({
        field,
        has: ({ limits_targets }: ServiceIdentity) => limits_targets === true,
      })),
      'ip_group',
      'date_expired',
      'date_last_used',
    ],
    quickActions: [activeAction(serviceIdentity)],
    related: ({ id }) => [
      permissionsWith({ user_id: id }),
      sessionsWith({ user_id: id }, ({ asset }) => String(asset)),
    ],
    tabs: [
      { name: 'ServiceKeys', title: msg('Keys@@service'), component: ServiceKeys },
      { name: 'TrustRuleList', title: msg('Trust rules'), component: TrustRules },
      { name: 'WorkloadTokens', title: msg('Workload tokens'), component: WorkloadTokens },
    ],
  },
})

export const pages = { ServiceIdentity: serviceIdentityPages }
