import { defineResource, type Row } from '../../define.ts'

/**
 * Runs of a cloud sync task (docs/rules/xpack.md#sync_history). The id is that of the background
 * task.
 */
export const syncHistory = defineResource({
  name: 'sync_history',
  path: '/api/v1/xpack/cloud/sync-instance-tasks/:task_id/history/',
  label: 'Cloud sync run',
  scope: 'org',
  operations: ['list'],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  needsLicense: true,
  display: '{id}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    task: { type: 'ref', label: 'Cloud sync task', to: 'sync_instance_task', readOnly: true },
    /** Counts by the names new, unsync, sync and released (A4.03). */
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
    /** None while it runs. */
    status: {
      type: 'choice',
      label: 'Status',
      integer: true,
      nullable: true,
      readOnly: true,
      choices: { 0: 'Failed', 1: 'Succeeded' },
    },
    status_display: { type: 'string', label: 'Status name', readOnly: true },
    reason: { type: 'string', label: 'Reason', nullable: true, readOnly: true },
    /** The answer of each region: `{regions: [{id, instances, error}]}`. */
    result: { type: 'object', label: 'Result', nullable: true, readOnly: true },
    date_sync: { type: 'datetime', label: 'Begun', readOnly: true },
  },
  search: [],
  filters: ['status'],
  ordering: ['date_sync'],
  defaultOrder: ['-date_sync'],
})
export type SyncHistory = Row<typeof syncHistory>
