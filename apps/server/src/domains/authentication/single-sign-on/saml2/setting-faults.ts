import type { SettingCheck } from '../../../settings/index.ts'
import { IdpMetadataFault, parseIdpMetadata } from './idp-metadata.ts'
import { ownPair, SamlSettingsFault } from './provider.ts'

/**
 * Checks a new key, certificate or metadata: errors are shown where they are saved, not to the
 * first person who signs in.
 */
export const samlFaults: SettingCheck = (changes, after, fault) => {
  if (changes.SAML2_SP_KEY_CONTENT || changes.SAML2_SP_CERT_CONTENT)
    try {
      ownPair({ get: (name) => after[name] })
    } catch (error) {
      if (!(error instanceof SamlSettingsFault && error.field)) throw error
      fault(error.field, error.message)
    }
  if (changes.SAML2_IDP_METADATA_XML?.trim())
    try {
      parseIdpMetadata(changes.SAML2_IDP_METADATA_XML.trim())
    } catch (error) {
      const { message } = error as Error
      if (error instanceof IdpMetadataFault) fault('SAML2_IDP_METADATA_XML', message)
      else fault('SAML2_IDP_METADATA_XML', 'The metadata cannot be read: {{reason}}', { reason: message })
    }
}
