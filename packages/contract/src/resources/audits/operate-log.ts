import { defineResource, type ResourceDefinition, type Row } from '../../define.ts'

/** One field of `changes`, in the words of the reader's language. */
const CHANGE_FIELDS = {
  field: { type: 'string', label: 'Field', readOnly: true },
  label: { type: 'string', label: 'Field title', readOnly: true },
  /** Null where nothing was there. */
  before: { type: 'string', label: 'Before', nullable: true, readOnly: true },
  after: { type: 'string', label: 'After', nullable: true, readOnly: true },
  /** Names of rows that the field links now, the first of `added_amount`. */
  added: { type: 'strings', label: 'Added', readOnly: true },
  added_amount: { type: 'integer', label: 'Added amount', readOnly: true },
  removed: { type: 'strings', label: 'Removed', readOnly: true },
  removed_amount: { type: 'integer', label: 'Removed amount', readOnly: true },
  /** Nothing is kept of it but that it was set. */
  is_secret: { type: 'boolean', label: 'Value withheld', readOnly: true },
  /** A value was longer than what is kept of it. */
  is_cut: { type: 'boolean', label: 'Shortened', readOnly: true },
} as const

export const operateLog = defineResource({
  name: 'operate_log',
  path: '/api/v1/audits/operate-logs/',
  label: 'Operation log',
  scope: 'org',
  operations: ['list', 'export'],
  permission: { list: ['org_auditor'], write: [] },
  display: '{user}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    user: { type: 'string', label: 'User', named: true, maxLength: 128, readOnly: true },
    action: {
      type: 'choice',
      label: 'Action',
      choices: { create: 'Create', update: 'Update', delete: 'Delete', export: 'Export', download: 'Download' },
      readOnly: true,
    },
    action_display: { type: 'string', label: 'Action', readOnly: true },
    resource_type: { type: 'string', label: 'Resource type', maxLength: 64, readOnly: true },
    resource_type_display: { type: 'string', label: 'Resource type', readOnly: true },
    resource: { type: 'string', label: 'Resource', maxLength: 128, readOnly: true },
    remote_addr: { type: 'string', label: 'Address', nullable: true, maxLength: 128, readOnly: true },
    datetime: { type: 'datetime', label: 'Time', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    /** An extension, like all that follow. */
    changes: { type: 'list', label: 'Changes', nullable: true, fields: CHANGE_FIELDS, readOnly: true },
    user_id: { type: 'uuid', label: 'User ID', nullable: true, readOnly: true },
    /** For whom a service identity acted: its owner, or whom its token names. */
    on_behalf_of: { type: 'string', label: 'On behalf of', named: true, nullable: true, readOnly: true },
    /** An extension: the product that an import brought it from. */
    arrived_from: { type: 'string', label: 'Imported from', nullable: true, readOnly: true },
    /** The person's sign-in, in `audits/sign-ins/` for as long as it lasts. */
    sign_in_id: { type: 'uuid', label: 'Sign-in ID', nullable: true, readOnly: true },
    /** The changed row: the name of its resource, such as `asset`, and its id there. */
    object_type: { type: 'string', label: 'Object type', nullable: true, readOnly: true },
    object_id: { type: 'string', label: 'Object ID', nullable: true, readOnly: true },
    object_exists: { type: 'boolean', label: 'Object exists', readOnly: true },
    /** Whether it can be taken back (`open`), or was (`done`); null where nothing is kept of it. */
    undo_state: { type: 'string', label: 'Undo', nullable: true, readOnly: true },
    /** The change or import of several objects that it is part of: all of it is taken back by this id. */
    change_id: { type: 'uuid', label: 'Change ID', nullable: true, readOnly: true },
  },
  exportColumns: [
    'id',
    'user',
    'action',
    'action_display',
    'resource_type',
    'resource_type_display',
    'resource',
    'remote_addr',
    'datetime',
    'object_id',
    'changes',
  ],
  search: ['resource'],
  filters: [
    'user',
    'action',
    'resource_type',
    'resource',
    'remote_addr',
    'user_id',
    'object_id',
    'sign_in_id',
    { name: 'date_from', match: 'custom', hidden: true },
    { name: 'date_to', match: 'custom', hidden: true },
  ],
  ordering: '*',
  defaultOrder: ['-datetime'],
})
export type OperateLog = Row<typeof operateLog>
export type OperateLogChange = Row<ResourceDefinition<typeof CHANGE_FIELDS>>
