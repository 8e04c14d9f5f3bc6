import { defineResource, type ResourceDefinition, type Row } from '../../define.ts'

/** One authorized key of an account of a machine. */
const KEY_FIELDS = {
  type: { type: 'string', label: 'Key type', readOnly: true },
  fingerprint: { type: 'string', label: 'Fingerprint', readOnly: true },
  /** Its name as given by the person who put it there. */
  comment: { type: 'string', label: 'Comment', readOnly: true },
  /** Whether an account here logs in to that asset with it. */
  is_explained: { type: 'boolean', label: 'Known here', readOnly: true },
} as const

/** Accounts that are on machines themselves (docs/rules/accounts.md#gathered_user). */
export const gatheredUser = defineResource({
  name: 'gathered_user',
  path: '/api/v1/assets/gathered-users/',
  label: 'Gathered user',
  scope: 'org',
  operations: ['list', 'retrieve', 'destroy', 'export'],
  needsLicense: true,
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{username}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    username: { type: 'string', label: 'Username', readOnly: true },
    ip_last_login: { type: 'string', label: 'Last sign-in from', readOnly: true },
    present: { type: 'boolean', label: 'Present', readOnly: true },
    date_last_login: { type: 'datetime', label: 'Last sign-in', readOnly: true, nullable: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    asset: { type: 'ref', label: 'Asset', to: 'asset', readOnly: true },
    hostname: { type: 'string', label: 'Hostname', readOnly: true },
    ip: { type: 'string', label: 'IP', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
    /** An extension, like all that follow. */
    uid: { type: 'integer', label: 'UID', readOnly: true, nullable: true },
    home: { type: 'string', label: 'Home', readOnly: true },
    shell: { type: 'string', label: 'Shell', readOnly: true },
    /** Root, or in a group that may become root. */
    is_admin: { type: 'boolean', label: 'Administrator there', readOnly: true },
    /** The difference between the last run of its asset and the one before. */
    change: {
      type: 'choice',
      label: 'Since the run before',
      choices: { new: 'New', changed: 'Changed', vanished: 'Vanished' },
      readOnly: true,
    },
    change_display: { type: 'string', label: 'Since the run before', readOnly: true },
    date_changed: { type: 'datetime', label: 'Changed on', readOnly: true, nullable: true },
    /** Logins to it from here: names of system users, and the account itself. */
    owners: { type: 'strings', label: 'Used here by', readOnly: true },
    /** People who may connect as it by a permission: the first by name, and the count. */
    people: { type: 'strings', label: 'May be used by', readOnly: true },
    people_amount: { type: 'integer', label: 'Number of people', readOnly: true },
    /** Whether a session from here began about when somebody last signed in there; null where nobody has. */
    is_last_login_known: { type: 'boolean', label: 'Last sign-in came from here', nullable: true, readOnly: true },
    /** Null where they could not be read. */
    keys: { type: 'list', label: 'Authorized keys', nullable: true, fields: KEY_FIELDS, readOnly: true },
    unexplained_keys: { type: 'integer', label: 'Unknown keys', nullable: true, readOnly: true },
  },
  exportColumns: [
    'id',
    'username',
    'ip_last_login',
    'present',
    'date_last_login',
    'date_created',
    'date_updated',
    'asset',
    'hostname',
    'ip',
    'org_name',
    'is_admin',
    'change',
    'owners',
    'unexplained_keys',
    'is_last_login_known',
  ],
  // The mount searches host name and address, too.
  search: ['username'],
  filters: [
    'asset',
    { name: 'asset_id', match: 'custom', hidden: true },
    'username',
    'present',
    'change',
    { name: 'is_owned', match: 'custom', type: 'boolean', label: 'Used from here' },
    { name: 'has_unexplained_keys', match: 'custom', type: 'boolean', label: 'Has unknown keys' },
    { name: 'is_last_login_known', match: 'custom', type: 'boolean', label: 'Last sign-in came from here' },
    { name: 'asset__ip', match: 'custom', label: 'IP' },
    { name: 'asset__hostname', match: 'custom', label: 'Hostname' },
    { name: 'node', match: 'custom', hidden: true },
    { name: 'node_id', match: 'custom', hidden: true },
  ],
  ordering: '*',
  defaultOrder: ['asset'],
})
export type GatheredUser = Row<typeof gatheredUser>
export type GatheredKey = Row<ResourceDefinition<typeof KEY_FIELDS>>
