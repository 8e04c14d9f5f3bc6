import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'

const ofProvider = <const L extends string, const T extends string>(label: L, to: T) =>
  ({ type: 'ref', label, helpText: 'Empty: the provider of the settings', to, nullable: true }) as const
const ofAll = <const L extends string>(label: L) =>
  ({
    type: 'boolean',
    label,
    helpText: 'People of every provider are meant, also of those that come later',
    default: false,
  }) as const

/** The fields by which a rule names directories and providers, by their source. */
export const FURTHER_FIELDS = {
  ldap: { one: 'directory', all: 'all_directories' },
  openid: { one: 'openid_provider', all: 'all_openid_providers' },
  saml2: { one: 'saml2_provider', all: 'all_saml2_providers' },
  cas: { one: 'cas_server', all: 'all_cas_servers' },
  radius: { one: 'radius_server', all: 'all_radius_servers' },
} as const

/**
 * A rule by which people who are in a group of a directory or sign-in provider are given something in
 * an organization. An extension: the contract has none.
 */
export const groupMapping = defineResource({
  name: 'group_mapping',
  path: '/api/v1/authentication/group-mappings/',
  label: 'Group mapping',
  scope: 'org',
  bearsRights: true,
  operations: [...CRUD],
  permission: { list: ['super_admin'], write: ['super_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'org' },
    source: {
      type: 'choice',
      label: 'Source',
      choices: {
        ldap: 'LDAP/AD',
        openid: 'OpenID',
        saml2: 'SAML2',
        cas: 'CAS',
        radius: 'Radius',
        // These mean people who have bound that messenger, also where their own source is another.
        wecom: 'WeCom',
        dingtalk: 'DingTalk',
        feishu: 'FeiShu',
      },
      default: 'ldap',
    },
    directory: {
      type: 'ref',
      label: 'Directory',
      helpText: 'Empty: the directory of the settings',
      to: 'directory',
      nullable: true,
    },
    all_directories: {
      type: 'boolean',
      label: 'All directories',
      helpText: 'People of every directory are meant, also of those that come later',
      default: false,
    },
    openid_provider: ofProvider('OpenID provider', 'openid_provider'),
    all_openid_providers: ofAll('All OpenID providers'),
    saml2_provider: ofProvider('SAML2 provider', 'saml_provider'),
    all_saml2_providers: ofAll('All SAML2 providers'),
    cas_server: ofProvider('CAS server', 'cas_server'),
    all_cas_servers: ofAll('All CAS servers'),
    radius_server: ofProvider('RADIUS server', 'radius_server'),
    all_radius_servers: ofAll('All RADIUS servers'),
    match: {
      type: 'choice',
      label: 'Who is meant',
      choices: {
        exact: 'A group',
        pattern: 'Groups by a pattern',
        subtree: 'Groups below a DN',
        everybody: 'Everybody of the source',
      },
      default: 'exact',
    },
    value: {
      type: 'string',
      label: 'Outside group',
      helpText: 'As the source writes it; a directory names groups by DN, such as cn=ops,ou=groups,dc=example,dc=org',
      blank: true,
      maxLength: 1024,
      default: '',
    },
    priority: {
      type: 'integer',
      label: 'Priority',
      helpText: 'Smaller numbers come first',
      min: 1,
      max: 100,
      default: 50,
    },
    mode: {
      type: 'choice',
      label: 'Beside other rules',
      choices: {
        go_on: 'Rules after it count as well',
        stop: 'No rule after it counts',
        else: 'Counts only if no rule before it did',
      },
      default: 'go_on',
    },
    org_role: {
      type: 'choice',
      label: 'Role here',
      choices: {
        User: 'User',
        Auditor: 'Organization auditor',
        Admin: 'Organization administrator',
        none: 'No member',
      },
      default: 'User',
    },
    user_groups: { type: 'refs', label: 'User group', to: 'user_group' },
    system_role: {
      type: 'choice',
      label: 'System role',
      helpText: 'Of the whole system, in all organizations',
      choices: { User: 'User', Auditor: 'System auditor', Admin: 'System administrator' },
      default: 'User',
    },
    is_active: { type: 'boolean', label: 'Active', default: true },
    comment: { type: 'text', label: 'Comment' },
    created_by: { type: 'string', label: 'Created by', nullable: true, readOnly: true, maxLength: 30 },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  mini: ['id', 'name'],
  search: ['name', 'value'],
  filters: [
    'name',
    'source',
    'directory',
    'openid_provider',
    'saml2_provider',
    'cas_server',
    'radius_server',
    'match',
    'is_active',
  ],
  ordering: ['priority', 'name', 'date_created'],
  defaultOrder: ['source', 'priority', 'name'],
})
export type GroupMapping = Row<typeof groupMapping>
export type GroupMappingDraft = Draft<typeof groupMapping>
