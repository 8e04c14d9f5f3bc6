import { type Draft, defineResource, type Field, type Row } from '../../define.ts'
import { BULK, CRUD, FILES } from '../../operations.ts'
import { DECIDERS } from '../users/deciders.ts'

const GROUP_ITEMS = 1000
/** A list of whole names; `*` means all. */
const group = (label: string) =>
  ({ type: 'strings', label, default: ['*'], maxItems: GROUP_ITEMS }) as const satisfies Field

export const loginAssetAcl = defineResource({
  name: 'login_asset_acl',
  path: '/api/v1/acls/login-asset-acls/',
  label: 'Asset access rule',
  scope: 'org',
  operations: [...CRUD, ...BULK, ...FILES],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{name}',
  needsLicense: true,
  bearsRights: true,
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'org' },
    users: { type: 'object', label: 'User', required: true, fields: { username_group: group('Usernames') } },
    system_users: {
      type: 'object',
      label: 'System user',
      required: true,
      fields: {
        name_group: group('System user names'),
        username_group: group('System user usernames'),
        protocol_group: group('System user protocols'),
      },
    },
    assets: {
      type: 'object',
      label: 'Asset',
      required: true,
      fields: { ip_group: group('Asset addresses'), hostname_group: group('Hostnames') },
    },
    is_active: { type: 'boolean', label: 'Active', default: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    priority: {
      type: 'integer',
      label: 'Priority',
      helpText: 'Smaller numbers come first',
      min: 1,
      max: 100,
      default: 50,
    },
    action: { type: 'choice', label: 'Action', choices: { login_confirm: 'Login confirm' }, default: 'login_confirm' },
    action_display: { type: 'string', label: 'Action', readOnly: true },
    comment: { type: 'text', label: 'Comment', default: '' },
    created_by: { type: 'string', label: 'Created by', nullable: true, maxLength: 32 },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    reviewers: { type: 'refs', label: 'Reviewers', helpText: 'One of them is enough', ...DECIDERS, required: true },
    reviewers_amount: { type: 'integer', label: 'Reviewers', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  mini: ['id', 'name'],
  search: ['name'],
  filters: ['name'],
  ordering: '*',
  defaultOrder: ['priority', '-date_updated', 'name'],
  importColumns: [
    'name',
    'users',
    'system_users',
    'assets',
    'is_active',
    'priority',
    'action',
    'comment',
    'created_by',
    'reviewers',
  ],
  exportColumns: [
    'id',
    'name',
    'users',
    'system_users',
    'assets',
    'is_active',
    'date_created',
    'date_updated',
    'priority',
    'action',
    'action_display',
    'comment',
    'created_by',
    'reviewers',
    'reviewers_amount',
    'org_name',
  ],
})
export type LoginAssetAcl = Row<typeof loginAssetAcl>
export type LoginAssetAclDraft = Draft<typeof loginAssetAcl>
