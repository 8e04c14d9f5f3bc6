import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD } from '../../operations.ts'
import { PERIODIC_FIELDS } from './periodic.ts'

/** When the accounts of which machines are read (docs/rules/accounts.md#gathered_user_task). */
export const gatheredUserTask = defineResource({
  name: 'gathered_user_task',
  path: '/api/v1/xpack/gathered-user/tasks/',
  label: 'Gather user task',
  scope: 'org',
  operations: [...CRUD, ...BULK],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  needsLicense: true,
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'org' },
    nodes: { type: 'refs', label: 'Nodes', helpText: 'Accounts are looked for on all assets below them', to: 'node' },
    ...PERIODIC_FIELDS,
    executed_times: { type: 'integer', label: 'Runs', readOnly: true },
    date_last_sync: { type: 'datetime', label: 'Last successful run', readOnly: true, nullable: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    created_by: { type: 'string', label: 'Created by', readOnly: true },
    comment: { type: 'text', label: 'Comment' },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['name'],
  filters: ['name'],
  ordering: '*',
  defaultOrder: ['name'],
})
export type GatheredUserTask = Row<typeof gatheredUserTask>
export type GatheredUserTaskDraft = Draft<typeof gatheredUserTask>
