import { type Draft, defineResource, type Row } from '../../define.ts'
import { FURTHER_LISTED, FURTHER_TAIL, NOBODY_NEW, PROVIDER_HEAD } from '../../further-source.ts'
import { CRUD } from '../../operations.ts'
import { saml2 as settings } from '../../settings/auth.ts'

/**
 * A further SAML2 provider whose people sign in here, beside the one of the settings (SAML2_…), which
 * is the first. An extension: the contract has none.
 */
export const saml2Provider = defineResource({
  name: 'saml_provider',
  path: '/api/v1/authentication/saml2-providers/',
  label: 'SAML2 provider',
  scope: 'global',
  operations: [...CRUD],
  permission: { list: ['super_admin'], write: ['super_admin'] },
  display: '{name}',
  fields: {
    ...PROVIDER_HEAD,
    metadata_url: {
      type: 'string',
      label: 'IdP metadata URL',
      helpText: 'The provider is read from there; or give the file itself below',
      blank: true,
      maxLength: 1024,
      default: '',
    },
    metadata_xml: { type: 'text', label: 'IdP metadata XML', blank: true, maxLength: 100_000, default: '' },
    sp_key: {
      type: 'text',
      label: 'SP private key',
      helpText: 'Without one, key and certificate of the SAML2 settings count for this provider as well',
      nullable: true,
      writeOnly: true,
      maxLength: 100_000,
    },
    sp_certificate: { type: 'text', label: 'SP certificate', blank: true, maxLength: 100_000, default: '' },
    advanced_settings: { type: 'object', label: 'SP advanced settings', default: {} },
    rename_attributes: {
      type: 'object',
      label: 'Rename attributes',
      helpText: settings.SAML2_RENAME_ATTRIBUTES.helpText,
      default: { uid: 'username', email: 'email' },
    },
    groups_attribute: {
      type: 'string',
      label: 'Attribute of groups',
      helpText: settings.SAML2_GROUPS_ATTRIBUTE.helpText,
      blank: true,
      maxLength: 1024,
      default: '',
    },
    existing_only: NOBODY_NEW,
    always_update_user: {
      type: 'boolean',
      label: 'Always update user',
      helpText: settings.AUTH_SAML2_ALWAYS_UPDATE_USER.helpText,
      default: true,
    },
    logout_completely: {
      type: 'boolean',
      label: 'Sign out there, too',
      helpText: settings.SAML2_LOGOUT_COMPLETELY.helpText,
      default: true,
    },
    entity_id: {
      type: 'string',
      label: 'SP entity ID',
      helpText: 'Entered at the provider: its name for this server',
      readOnly: true,
    },
    callback_url: {
      type: 'string',
      label: 'Assertion consumer URL',
      helpText: 'Entered at the provider: people come back here',
      readOnly: true,
    },
    logout_url: { type: 'string', label: 'Sign-out URL', readOnly: true },
    sp_metadata_url: {
      type: 'string',
      label: 'SP metadata URL',
      helpText: 'Has all of these, for a provider that reads metadata',
      readOnly: true,
    },
    ...FURTHER_TAIL,
  },
  search: ['name', 'metadata_url'],
  ...FURTHER_LISTED,
})
export type Saml2Provider = Row<typeof saml2Provider>
export type Saml2ProviderDraft = Draft<typeof saml2Provider>
