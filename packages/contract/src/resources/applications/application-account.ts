import { type Draft, defineResource, type Row } from '../../define.ts'
import { BULK, CRUD, FILES } from '../../operations.ts'
import { SECRET_REFERENCE } from '../assets/secret-reference.ts'
import { APPLICATION_CATEGORIES, APPLICATION_TYPE_LABELS } from './application-types.ts'

/**
 * An account on an application: made for each application and system user of a permission,
 * whose user name and secrets it has until it gets its own
 * (docs/rules/accounts.md#application_account).
 */
export const applicationAccount = defineResource({
  name: 'application_account',
  path: '/api/v1/applications/accounts/',
  label: 'Application account',
  scope: 'org',
  operations: [...CRUD, ...BULK, ...FILES],
  needsLicense: true,
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{username}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    username: { type: 'string', label: 'Username', default: '', maxLength: 128 },
    version: { type: 'integer', label: 'Version', default: 1, min: 1 },
    systemuser: { type: 'ref', label: 'System user', nullable: true, to: 'system_user' },
    systemuser_display: { type: 'string', label: 'System user name', readOnly: true },
    app: { type: 'ref', label: 'Application', required: true, to: 'application' },
    app_display: { type: 'string', label: 'Application name', readOnly: true },
    password: { type: 'string', label: 'Password', nullable: true, writeOnly: true, maxLength: 256 },
    private_key: {
      type: 'text',
      label: 'SSH private key',
      helpText: 'The private part, as ssh-keygen writes it, such as the file id_ed25519',
      nullable: true,
      writeOnly: true,
    },
    public_key: { type: 'text', label: 'SSH public key', nullable: true, writeOnly: true },
    passphrase: {
      type: 'string',
      label: 'Key password',
      helpText: 'Only for a key that is encrypted with one',
      nullable: true,
      writeOnly: true,
      maxLength: 512,
    },
    ...SECRET_REFERENCE,
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    type: { type: 'choice', label: 'Type', choices: APPLICATION_TYPE_LABELS, readOnly: true },
    type_display: { type: 'string', label: 'Type name', readOnly: true },
    category: { type: 'choice', label: 'Category', choices: APPLICATION_CATEGORIES, readOnly: true },
    category_display: { type: 'string', label: 'Category name', readOnly: true },
    attrs: { type: 'object', label: 'Attributes', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  mini: ['id', 'username', 'version'],
  // The mount searches user name and the application's name.
  search: [],
  filters: [
    { name: 'username', match: 'custom' },
    { name: 'type', match: 'custom' },
    { name: 'category', match: 'custom' },
    { name: 'app_display', match: 'custom' },
    'app',
    'systemuser',
  ],
  ordering: ['version', 'date_created', 'date_updated'],
  defaultOrder: ['id'],
})
export type ApplicationAccount = Row<typeof applicationAccount>
export type ApplicationAccountDraft = Draft<typeof applicationAccount>
