import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'
import { PERIODIC_FIELDS } from '../accounts/periodic.ts'

/**
 * Which machines of a cloud become assets, where and how (docs/rules/xpack.md#sync_instance_task,
 * A3.26).
 */
export const syncInstanceTask = defineResource({
  name: 'sync_instance_task',
  path: '/api/v1/xpack/cloud/sync-instance-tasks/',
  label: 'Cloud sync task',
  scope: 'org',
  operations: CRUD,
  permission: { list: ['org_admin'], write: ['org_admin'] },
  needsLicense: true,
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'org' },
    account: {
      type: 'ref',
      label: 'Cloud account',
      helpText: 'The cloud and the key that its machines are read with',
      to: 'cloud_account',
      required: true,
    },
    account_display: { type: 'string', label: 'Name of the cloud account', readOnly: true },
    regions: {
      type: 'strings',
      label: 'Regions',
      helpText: 'Machines of these are taken',
      required: true,
      minItems: 1,
      maxItems: 200,
    },
    hostname_strategy: {
      type: 'choice',
      label: 'Names of assets',
      helpText: 'The name of a new asset',
      choices: {
        instance_name: 'Name of the instance',
        instance_name_partial_ip: 'Name of the instance and end of its address',
      },
      default: 'instance_name_partial_ip',
    },
    node: { type: 'ref', label: 'Node', helpText: 'New assets are put there', to: 'node', required: true },
    node_display: { type: 'string', label: 'Node name', readOnly: true },
    unix_admin_user: { type: 'ref', label: 'Admin user of Unix machines', to: 'system_user', nullable: true },
    unix_admin_user_display: { type: 'string', label: 'Name of the Unix admin user', readOnly: true },
    windows_admin_user: { type: 'ref', label: 'Admin user of Windows machines', to: 'system_user', nullable: true },
    windows_admin_user_display: { type: 'string', label: 'Name of the Windows admin user', readOnly: true },
    protocols: {
      type: 'strings',
      label: 'Protocols',
      helpText: 'Of new assets; none: SSH for Unix, RDP for Windows',
      maxItems: 4,
      default: [],
    },
    ip_network_segment_group: {
      type: 'strings',
      label: 'Networks',
      helpText: 'The first address of an instance that is in one of them is its asset’s; * takes any',
      minItems: 1,
      maxItems: 200,
      default: ['*'],
    },
    is_always_update: {
      type: 'boolean',
      label: 'Follow changes',
      helpText: 'Each run brings hostname, address, platform and admin user of known assets up to date',
      default: false,
    },
    ...PERIODIC_FIELDS,
    date_last_sync: { type: 'datetime', label: 'Last successful run', readOnly: true, nullable: true },
    history_count: { type: 'integer', label: 'Runs', readOnly: true },
    /** Its instances by the names new, unsync, sync and released (A3.26). */
    summary: {
      type: 'object',
      label: 'Summary',
      readOnly: true,
      fields: {
        new: { type: 'integer', label: 'New instances' },
        unsync: { type: 'integer', label: 'Unsynced instances' },
        sync: { type: 'integer', label: 'Synced instances' },
        released: { type: 'integer', label: 'Released instances' },
      },
    },
    instance_count: { type: 'integer', label: 'Instances', readOnly: true },
    comment: { type: 'text', label: 'Comment', default: '' },
    created_by: { type: 'string', label: 'Created by', readOnly: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['name'],
  filters: ['name', 'account'],
  ordering: '*',
  defaultOrder: ['name'],
})
export type SyncInstanceTask = Row<typeof syncInstanceTask>
export type SyncInstanceTaskDraft = Draft<typeof syncInstanceTask>
