/** The SAML2 providers whose people sign in here: first that of the settings, then the further ones in their order. */
import { type PeopleSource, peopleSources, type SignInPages } from '../../people-sources/sources.ts'
import { authenticationSaml2Provider } from './tables.ts'

export interface SamlPages extends SignInPages {
  signOut: string
  metadata: string
}
export type SamlSource = PeopleSource<SamlPages>

const pagesBelow = (place: string): SamlPages => ({
  login: `${place}login/`,
  callback: `${place}callback/`,
  signOut: `${place}logout/`,
  metadata: `${place}metadata/`,
})

export const saml2Sources = peopleSources({
  isOn: 'AUTH_SAML2',
  firstName: 'SAML2',
  firstPages: pagesBelow('/core/auth/saml2/'),
  // To each provider we are another service, so that an assertion for one is of no use at another.
  furtherPages: (id) => pagesBelow(`/core/auth/saml2/providers/${id}/`),
  table: authenticationSaml2Provider,
  fields: {
    AUTH_SAML2: 'is_active',
    SAML2_IDP_METADATA_URL: 'metadata_url',
    SAML2_IDP_METADATA_XML: 'metadata_xml',
    SAML2_SP_CERT_CONTENT: 'sp_certificate',
    SAML2_SP_ADVANCED_SETTINGS: 'advanced_settings',
    SAML2_RENAME_ATTRIBUTES: 'rename_attributes',
    SAML2_GROUPS_ATTRIBUTE: 'groups_attribute',
    SAML2_LOGOUT_COMPLETELY: 'logout_completely',
    AUTH_SAML2_ALWAYS_UPDATE_USER: 'always_update_user',
  },
  sealed: { SAML2_SP_KEY_CONTENT: { column: 'sp_key_sealed', what: 'SP private key for SAML2 provider' } },
  inherited: ({ sp_key_sealed: key }) => (key ? [] : ['SAML2_SP_KEY_CONTENT', 'SAML2_SP_CERT_CONTENT']),
})
