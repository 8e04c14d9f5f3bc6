import { COMPATIBILITY_VERSION, PRODUCT_VERSION } from '@sallyport/contract/constants.ts'
import { t } from '../../lib/i18n.ts'
import { licenseValid, session } from '../../session/session.ts'

/** Owner of the license, the version that clients know and our own (A1.21 B2.17). */
export function Footer() {
  const licensed = licenseValid()
  return (
    <footer className="footer">
      <span>{session().settings.XPACK_LICENSE_INFO?.corporation}</span>
      <span>
        {t('Version')} {COMPATIBILITY_VERSION} · Sallyport {PRODUCT_VERSION}
        {!licensed && ` · ${t('Licensed under GPLv2 or later')}`}
      </span>
    </footer>
  )
}
