import { ACTION_CHOICES, type ActionName } from '../../actions.ts'
import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD, FILES } from '../../operations.ts'
import {
  APPLICATION_CATEGORIES,
  APPLICATION_TYPE_LABELS,
  type ApplicationCategory,
} from '../applications/application-types.ts'

/**
 * What can be done with applications of a category; others are stored all the same
 * (docs/rules/perms.md#actions).
 */
export const APPLICATION_ACTIONS: Readonly<Record<ApplicationCategory, readonly ActionName[]>> = {
  db: ['all', 'connect', 'upload_file', 'download_file', 'updownload'],
  remote_app: [
    'all',
    'connect',
    'upload_file',
    'download_file',
    'updownload',
    'clipboard_copy',
    'clipboard_paste',
    'clipboard_copy_paste',
  ],
  cloud: ['all', 'connect'],
}

/** Databases that a permission may name, and types of applications that have such. */
export const DATABASES_MAX = 100
export const TYPES_WITH_DATABASES: readonly string[] = ['mysql', 'mariadb', 'postgresql']

/**
 * A permission: people, applications of one type, accounts and validity (docs/rules/perms.md, A2.33).
 */
export const applicationPermission = defineResource({
  name: 'application_permission',
  path: '/api/v1/perms/application-permissions/',
  label: 'Application permission',
  scope: 'org',
  bearsRights: true,
  operations: [...CRUD, ...BULK, ...FILES],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'org' },
    category: { type: 'choice', label: 'Category', choices: APPLICATION_CATEGORIES, required: true },
    category_display: { type: 'string', label: 'Category name', readOnly: true },
    type: { type: 'choice', label: 'Type', choices: APPLICATION_TYPE_LABELS, required: true },
    type_display: { type: 'string', label: 'Type name', readOnly: true },
    actions: { type: 'multichoice', label: 'Actions', choices: ACTION_CHOICES, default: ['all'], nullable: true },
    databases: {
      type: 'strings',
      label: 'Databases',
      helpText: 'Of the server, which they may use; none: all that the account may',
      default: [],
      maxItems: DATABASES_MAX,
    },
    is_active: { type: 'boolean', label: 'Active', default: true },
    is_expired: { type: 'boolean', label: 'Expired', readOnly: true },
    is_valid: { type: 'boolean', label: 'Valid', readOnly: true },
    created_by: { type: 'string', label: 'Created by', readOnly: true, maxLength: 128 },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_expired: { type: 'datetime', label: 'Expires', default: 'now+25550' },
    date_start: { type: 'datetime', label: 'Starts', default: 'now' },
    comment: { type: 'text', label: 'Comment' },
    from_ticket: { type: 'boolean', label: 'From ticket', default: false, readOnly: true },
    users: { type: 'refs', label: 'User', to: 'user' },
    users_display: { type: 'strings', label: 'User names', readOnly: true },
    user_groups: {
      type: 'refs',
      label: 'User group',
      helpText: 'With everybody in them, also who joins later',
      to: 'user_group',
    },
    user_groups_display: { type: 'strings', label: 'User group names', readOnly: true },
    applications: { type: 'refs', label: 'Application', to: 'application' },
    applications_display: { type: 'strings', label: 'Application names', readOnly: true },
    system_users: {
      type: 'refs',
      label: 'System user',
      helpText: 'The accounts that people may be signed in with; they never see the secret',
      to: 'system_user',
    },
    system_users_display: { type: 'strings', label: 'System user names', readOnly: true },
    users_amount: { type: 'integer', label: 'Number of users', readOnly: true },
    user_groups_amount: { type: 'integer', label: 'Number of user groups', readOnly: true },
    applications_amount: { type: 'integer', label: 'Number of applications', readOnly: true },
    system_users_amount: { type: 'integer', label: 'Number of system users', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  mini: ['id', 'name'],
  search: ['name', 'category', 'type'],
  filters: [
    'name',
    'category',
    'type',
    { name: 'type__in', match: 'custom', hidden: true },
    'from_ticket',
    { name: 'is_valid', match: 'custom', type: 'boolean', label: 'Valid' },
    { name: 'is_effective', match: 'custom', type: 'boolean', label: 'In effect' },
    { name: 'expires_within', match: 'custom', type: 'string', label: 'Expires within days' },
    { name: 'all', match: 'custom', type: 'boolean', label: 'Inherit' },
    { name: 'user_id', match: 'custom', hidden: true },
    { name: 'username', match: 'custom', label: 'Username' },
    { name: 'user_group_id', match: 'custom', hidden: true },
    { name: 'user_group', match: 'custom', label: 'User group' },
    { name: 'system_user_id', match: 'custom', hidden: true },
    { name: 'system_user', match: 'custom', label: 'System user' },
    { name: 'application_id', match: 'custom', hidden: true },
    { name: 'app', match: 'custom', hidden: true },
    { name: 'application', match: 'custom', label: 'Application' },
    { name: 'app_name', match: 'custom', hidden: true },
  ],
  ordering: ['name'],
  defaultOrder: ['name'],
})
export type ApplicationPermission = Row<typeof applicationPermission>
export type ApplicationPermissionDraft = Draft<typeof applicationPermission>
