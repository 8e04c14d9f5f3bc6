import { type Draft, defineResource, type Row } from '../../define.ts'
import { FURTHER_LISTED, FURTHER_TAIL, NOBODY_NEW, PROVIDER_HEAD } from '../../further-source.ts'
import { CRUD } from '../../operations.ts'
import { cas as settings } from '../../settings/auth.ts'

/**
 * A further CAS server whose people sign in here, beside the one of the settings (CAS_…), which is the
 * first. An extension: the contract has none.
 */
export const casServer = defineResource({
  name: 'cas_server',
  path: '/api/v1/authentication/cas-servers/',
  label: 'CAS server',
  scope: 'global',
  operations: [...CRUD],
  permission: { list: ['super_admin'], write: ['super_admin'] },
  display: '{name}',
  fields: {
    ...PROVIDER_HEAD,
    server_url: {
      type: 'string',
      label: 'Server URL',
      helpText: settings.CAS_SERVER_URL.helpText,
      required: true,
      maxLength: 1024,
    },
    version: { type: 'integer', label: 'Version', min: 1, max: 3, default: 3 },
    username_attribute: {
      type: 'string',
      label: 'Username attribute',
      helpText: settings.CAS_USERNAME_ATTRIBUTE.helpText,
      maxLength: 1024,
      default: 'uid',
    },
    apply_attributes: {
      type: 'boolean',
      label: 'Enable attributes map',
      helpText: settings.CAS_APPLY_ATTRIBUTES_TO_USER.helpText,
      default: false,
    },
    rename_attributes: {
      type: 'object',
      label: 'Rename attributes',
      helpText: settings.CAS_RENAME_ATTRIBUTES.helpText,
      default: { uid: 'username' },
    },
    groups_attribute: {
      type: 'string',
      label: 'Attribute of groups',
      helpText: settings.CAS_GROUPS_ATTRIBUTE.helpText,
      blank: true,
      maxLength: 1024,
      default: '',
    },
    existing_only: NOBODY_NEW,
    logout_completely: {
      type: 'boolean',
      label: 'Sign out there, too',
      helpText: settings.CAS_LOGOUT_COMPLETELY.helpText,
      default: true,
    },
    service_url: {
      type: 'string',
      label: 'Service URL',
      helpText: 'Registered at the CAS server as a service, with any query behind it',
      readOnly: true,
    },
    ...FURTHER_TAIL,
  },
  search: ['name', 'server_url'],
  ...FURTHER_LISTED,
})
export type CasServer = Row<typeof casServer>
export type CasServerDraft = Draft<typeof casServer>
