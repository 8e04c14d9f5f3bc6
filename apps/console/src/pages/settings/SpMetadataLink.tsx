import { t } from '../../lib/i18n.ts'

/**
 * Metadata for the identity provider, or a page that says what is missing; as saved, not as in the
 * form.
 */
export function SpMetadataLink() {
  return (
    <a href="/core/auth/saml2/metadata/" target="_blank" rel="noreferrer">
      {t('Open what is saved')}
    </a>
  )
}
