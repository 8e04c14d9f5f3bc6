import { ACTION_BITS, type ActionName, actionMask, actionNames } from '@sallyport/contract/actions.ts'
import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import { loginAcl } from '@sallyport/contract/resources/acls/login-acl.ts'
import { loginAssetAcl } from '@sallyport/contract/resources/acls/login-asset-acl.ts'
import { application } from '@sallyport/contract/resources/applications/application.ts'
import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { commandFilter } from '@sallyport/contract/resources/assets/command-filter.ts'
import { commandFilterRule } from '@sallyport/contract/resources/assets/command-filter-rule.ts'
import { domain } from '@sallyport/contract/resources/assets/domain.ts'
import { gateway } from '@sallyport/contract/resources/assets/gateway.ts'
import { hostAuthority } from '@sallyport/contract/resources/assets/host-authority.ts'
import { label } from '@sallyport/contract/resources/assets/label.ts'
import { node } from '@sallyport/contract/resources/assets/node.ts'
import { platform } from '@sallyport/contract/resources/assets/platform.ts'
import { secretSource } from '@sallyport/contract/resources/assets/secret-source.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { applicationPermission } from '@sallyport/contract/resources/perms/application-permission.ts'
import { assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { user } from '@sallyport/contract/resources/users/user.ts'
import { userGroup } from '@sallyport/contract/resources/users/user-group.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import { withListedRules } from '../acls/index.ts'

/** Rows that belong to a row of another kind, in their order: they are written and read with it. */
export interface Children {
  field: string
  definition: ResourceDefinition
  /** The parameter of their address, which is the column that names their row. */
  parameter: string
  column: string
  leaves: readonly string[]
  order: readonly string[]
}

/** What files say of one resource. */
export interface Kind {
  /** Its word in files. */
  name: string
  definition: ResourceDefinition
  /** The fields that name a row together; the first is a column by which rows are found. */
  key: readonly string[]
  /** Fields that are written elsewhere, or tell what a machine has said. */
  leaves: readonly string[]
  /** Columns of the rows that are the organization's own, to export and to prune; others come from elsewhere. */
  own?: Readonly<Record<string, unknown>>
  /** Values of fields that a file leaves out, where the definition says none. */
  absent?: Readonly<Record<string, unknown>>
  /** Lists to which other rows add by themselves: files add to them as well, and take nothing out. */
  grows?: readonly string[]
  /** One form of values that mean the same. */
  same?: Readonly<Record<string, (value: unknown) => unknown>>
  children?: Children
  /** Rows of all organizations: files of one of them take none out. */
  isShared?: boolean
  /** A reference by which the list is read, and those of its rows that the caller may list: others are nobody's here. */
  readBy?: { field: string; listed(context: ReadContext, ids: readonly string[]): Promise<ReadonlySet<string>> }
  /** The tree of nodes: its rows are paths below the root. */
  isTree?: boolean
}

const kind = (name: string, definition: ResourceDefinition, more: Partial<Kind> = {}): Kind => ({
  name,
  definition,
  key: ['name'],
  leaves: [],
  ...more,
})

/** Names of actions by what they allow together: `updownload` is both of its parts. Unknown ones stay. */
const actions = (value: unknown): unknown =>
  Array.isArray(value) && value.every((name) => Object.hasOwn(ACTION_BITS, String(name)))
    ? actionNames(actionMask(value as ActionName[]))
    : value

/** Facts about a machine, which it tells by itself. */
const FACTS = [
  'cpu_model',
  'cpu_count',
  'cpu_cores',
  'cpu_vcpus',
  'memory',
  'disk_total',
  'disk_info',
  'os',
  'os_version',
  'os_arch',
  'hostname_raw',
  'vendor',
  'model',
  'sn',
]

/**
 * The kinds of an organization's files, so that each refers to those before it and to itself alone. A
 * further resource is a line here.
 */
export const KINDS: readonly Kind[] = [
  kind('platforms', platform, { own: { internal: false }, isShared: true }),
  kind('labels', label, { key: ['name', 'value'], leaves: ['assets'], own: { category: 'U' } }),
  kind('domains', domain, { leaves: ['assets'] }),
  kind('gateways', gateway, { leaves: ['is_connective'] }),
  kind('host_authorities', hostAuthority),
  kind('nodes', node, { key: ['full_value'], leaves: ['value'], isTree: true }),
  kind('secret_sources', secretSource),
  // Permissions of nodes bind their system users there.
  kind('system_users', systemUser, { leaves: ['cmd_filters'], grows: ['nodes'] }),
  kind('assets', asset, {
    key: ['hostname'],
    leaves: ['protocol', 'port', ...FACTS],
    absent: { nodes: ['/'] },
  }),
  kind('applications', application),
  kind('user_groups', userGroup, { own: { managed_by: '' } }),
  kind('command_filters', commandFilter, {
    children: {
      field: 'rules',
      definition: commandFilterRule,
      parameter: 'filter_id',
      column: 'filter',
      leaves: ['filter'],
      order: ['priority', 'action', 'date_created', 'id'],
    },
  }),
  kind('asset_permissions', assetPermission, {
    own: { from_ticket: false },
    same: { actions },
    absent: { forwarding: 'none' },
  }),
  kind('application_permissions', applicationPermission, { own: { from_ticket: false }, same: { actions } }),
  kind('sign_in_rules', loginAcl, { key: ['name', 'user'], readBy: { field: 'user', listed: withListedRules } }),
  kind('asset_access_rules', loginAssetAcl),
]

export const kindNamed = (name: string): Kind | undefined => KINDS.find((one) => one.name === name)

/** Fields by which rows are referred to, by the name of their resource. */
export const NAMED_BY: Readonly<Record<string, readonly string[]>> = {
  [user.name]: ['username'],
  ...Object.fromEntries(KINDS.map(({ definition, key }) => [definition.name, key])),
}
