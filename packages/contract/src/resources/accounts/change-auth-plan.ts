import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'
import { PASSWORD_LENGTH, passwordFields, planFields, timerFields } from './change-auth.ts'

/**
 * By which the secrets of one user name are changed on many assets
 * (docs/rules/accounts.md#change_auth_plan).
 */
export const changeAuthPlan = defineResource({
  name: 'change_auth_plan',
  path: '/api/v1/xpack/change-auth-plan/plan/',
  label: 'Asset change auth plan',
  scope: 'org',
  operations: [...CRUD, 'bulk_destroy'],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  needsLicense: true,
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'org' },
    username: {
      type: 'string',
      label: 'Username',
      helpText: 'The account on the assets; it is made where it is missing',
      required: true,
      maxLength: 128,
    },
    assets: { type: 'refs', label: 'Assets', to: 'asset' },
    nodes: { type: 'refs', label: 'Nodes', helpText: 'With all assets below them', to: 'node' },
    assets_amount: { type: 'integer', label: 'Number of assets', readOnly: true },
    nodes_amount: { type: 'integer', label: 'Number of nodes', readOnly: true },
    is_password: { type: 'boolean', label: 'Change password', default: true },
    ...passwordFields,
    password_rules: {
      type: 'object',
      label: 'Rules of the password',
      fields: { length: { type: 'integer', label: 'Password length', ...PASSWORD_LENGTH } },
    },
    is_ssh_key: { type: 'boolean', label: 'Change SSH key', default: false },
    ssh_key_strategy: {
      type: 'choice',
      label: 'SSH key strategy',
      helpText: 'Add leaves other keys of the account; set removes them',
      choices: { add: 'Append key', set: 'Clear and append', set_jms: 'Replace platform key' },
      default: 'add',
    },
    private_key: {
      type: 'text',
      label: 'SSH private key',
      helpText: 'The private part, as ssh-keygen writes it, such as the file id_ed25519',
      writeOnly: true,
      nullable: true,
    },
    passphrase: {
      type: 'string',
      label: 'Key password',
      helpText: 'Only for a key that is encrypted with one',
      writeOnly: true,
      nullable: true,
      maxLength: 512,
    },
    ...timerFields,
    ...planFields,
  },
  mini: ['id', 'name'],
  search: ['name', 'username'],
  filters: ['name', 'username'],
  ordering: ['name', 'username', 'run_times', 'date_created', 'date_updated'],
  defaultOrder: ['name'],
})
export type ChangeAuthPlan = Row<typeof changeAuthPlan>
export type ChangeAuthPlanDraft = Draft<typeof changeAuthPlan>
