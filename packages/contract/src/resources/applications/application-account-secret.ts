import { defineResource, type Row } from '../../define.ts'
import { applicationAccount } from './application-account.ts'

/**
 * Application accounts with their secrets in clear, and of remote apps the app's own password,
 * behind a fresh second factor; each look leaves a row
 * (docs/rules/accounts.md#application_account_secret).
 */
export const applicationAccountSecret = defineResource({
  name: 'application_account_secret',
  path: '/api/v1/applications/account-secrets/',
  label: 'Application account secret',
  scope: 'org',
  operations: ['list', 'retrieve', 'export'],
  needsLicense: true,
  permission: { list: ['org_admin', 'component'], write: [] },
  display: applicationAccount.display,
  fields: {
    ...applicationAccount.fields,
    password: { type: 'string', label: 'Password', readOnly: true },
    private_key: { type: 'text', label: 'SSH private key', readOnly: true },
    public_key: { type: 'text', label: 'SSH public key', readOnly: true },
  },
  mini: ['id', 'username', 'version'],
  search: [],
  filters: [
    { name: 'username', match: 'custom' },
    { name: 'type', match: 'custom' },
    { name: 'category', match: 'custom' },
    { name: 'app_display', match: 'custom' },
    'app',
    'systemuser',
  ],
  ordering: applicationAccount.ordering,
  defaultOrder: ['id'],
  exportColumns: [
    'id',
    'app_display',
    'attrs',
    'username',
    'password',
    'private_key',
    'public_key',
    'date_created',
    'date_updated',
    'version',
    'kept_in',
  ],
})
export type ApplicationAccountSecret = Row<typeof applicationAccountSecret>
