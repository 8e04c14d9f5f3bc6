import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD, FILES } from '../../operations.ts'
import { PERIODIC_FIELDS } from './periodic.ts'

/** Which secrets are sent to whom, and when (docs/rules/accounts.md#account_backup_plan). */
export const accountBackupPlan = defineResource({
  name: 'account_backup_plan',
  path: '/api/v1/assets/backup/',
  label: 'Account backup plan',
  scope: 'org',
  operations: [...CRUD, ...BULK, ...FILES],
  needsLicense: true,
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'org' },
    ...PERIODIC_FIELDS,
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    created_by: { type: 'string', label: 'Created by', readOnly: true },
    comment: { type: 'text', label: 'Comment' },
    recipients: {
      type: 'refs',
      label: 'Recipients',
      helpText: 'Each gets a file by mail that opens with their own password for files',
      to: 'user',
      maxItems: 100,
    },
    types: {
      type: 'multichoice',
      label: 'What is backed up',
      helpText: 'Passwords and keys of all accounts of these',
      choices: { all: 'All', asset: 'Asset', application: 'Application' },
      // Existing pages send the names of their tree's folders as well.
      ignoresUnknown: true,
      default: ['all', 'asset', 'application'],
    },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  importColumns: ['name', 'is_periodic', 'interval', 'crontab', 'comment', 'recipients', 'types'],
  search: ['name'],
  filters: ['name'],
  ordering: ['name'],
  defaultOrder: ['name'],
})
export type AccountBackupPlan = Row<typeof accountBackupPlan>
export type AccountBackupPlanDraft = Draft<typeof accountBackupPlan>
