import { defineResource, type Row } from '../../define.ts'

/**
 * Runs of backup plans (docs/rules/accounts.md#account_backup_execution). A POST with `plan`
 * starts one.
 */
export const accountBackupExecution = defineResource({
  name: 'account_backup_execution',
  path: '/api/v1/assets/backup-execution/',
  label: 'Account backup run',
  scope: 'org',
  operations: ['list', 'retrieve'],
  needsLicense: true,
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{id}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    date_start: { type: 'datetime', label: 'Started', readOnly: true },
    timedelta: { type: 'float', label: 'Duration', nullable: true, readOnly: true },
    plan_snapshot: { type: 'object', label: 'The plan then', readOnly: true },
    trigger: {
      type: 'choice',
      label: 'Started by',
      choices: { manual: 'A person', timing: 'Its schedule' },
      readOnly: true,
    },
    reason: { type: 'string', label: 'Reason', readOnly: true },
    is_success: { type: 'boolean', label: 'Success', readOnly: true },
    plan: { type: 'ref', label: 'Account backup plan', to: 'account_backup_plan', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    /** Each as `[display, has a file password]`. */
    recipients: { type: 'list', label: 'Recipients', readOnly: true },
    trigger_display: { type: 'string', label: 'Started by', readOnly: true },
  },
  search: ['trigger'],
  filters: ['trigger', { name: 'plan_id', match: 'custom', hidden: true }],
  ordering: '*',
  defaultOrder: ['-date_start'],
})
export type AccountBackupExecution = Row<typeof accountBackupExecution>
