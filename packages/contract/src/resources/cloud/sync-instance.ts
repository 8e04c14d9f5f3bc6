import { defineResource, type Row } from '../../define.ts'

/**
 * Knowledge of a cloud sync task about an instance (docs/rules/xpack.md#sync_instance; numbers of
 * A4.03).
 */
export const SYNC_STATES = { 0: 'Unsynced', 1: 'New', 2: 'Synced', 3: 'Released' } as const

export const syncInstance = defineResource({
  name: 'sync_instance',
  path: '/api/v1/xpack/cloud/sync-instance-tasks/:task_id/instances/',
  label: 'Cloud instance',
  scope: 'org',
  operations: ['list'],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  needsLicense: true,
  display: '{instance_id}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    instance_id: { type: 'string', label: 'Instance', readOnly: true },
    asset: { type: 'ref', label: 'Asset', to: 'asset', nullable: true, readOnly: true },
    asset_display: { type: 'string', label: 'Asset name', readOnly: true },
    region: { type: 'string', label: 'Region', readOnly: true },
    status: { type: 'choice', label: 'Status', integer: true, readOnly: true, choices: SYNC_STATES },
    status_display: { type: 'string', label: 'Status name', readOnly: true },
    /** An extension: why it has no asset. */
    reason: { type: 'string', label: 'Reason', readOnly: true },
    date_sync: { type: 'datetime', label: 'Synced on', readOnly: true },
  },
  search: ['instance_id'],
  filters: ['status', 'region'],
  ordering: ['instance_id', 'region', 'status', 'date_sync'],
  defaultOrder: ['-date_sync'],
})
export type SyncInstance = Row<typeof syncInstance>
