import { t } from '../../../lib/i18n.ts'
import { addressOf } from '../../../navigation/routes.ts'
import { FurtherPanel } from '../FurtherPanel.tsx'
import { SettingFormCard } from '../SettingFormCard.tsx'
import { AUTH } from '../setting-tabs.ts'

/** Ways to sign in, and where further OpenID providers are. */
export function AuthTab() {
  return (
    <>
      <SettingFormCard form={AUTH} />
      <FurtherPanel
        title={t('More OpenID providers')}
        text={t('Each has its own people and its own button on the sign-in page, after the OpenID above.')}
        to={addressOf('OpenidProviderList')}
        link={t('Open the OpenID providers')}
      />
    </>
  )
}
