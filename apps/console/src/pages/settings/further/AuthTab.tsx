import { t } from '../../../lib/i18n.ts'
import { addressOf } from '../../../navigation/routes.ts'
import { SettingFormCard } from '../SettingFormCard.tsx'
import { AUTH } from '../setting-tabs.ts'
import { FurtherPanel } from './FurtherPanel.tsx'

/** Ways to sign in, and where further providers are. */
export function AuthTab() {
  return (
    <>
      <SettingFormCard form={AUTH} />
      <FurtherPanel
        title={t('More providers')}
        text={t('There may be several of each kind. Each has its own people, and comes after the one above.')}
        links={[
          { to: addressOf('OpenidProviderList'), words: t('OpenID providers') },
          { to: addressOf('Saml2ProviderList'), words: t('SAML2 providers') },
          { to: addressOf('CasServerList'), words: t('CAS servers') },
          { to: addressOf('RadiusServerList'), words: t('RADIUS servers') },
        ]}
      />
    </>
  )
}
