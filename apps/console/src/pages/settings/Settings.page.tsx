import './settings.css'
import { PERMISSION } from '@sallyport/contract/access.ts'
import { TabPage } from '../../generic/detail/TabPage.tsx'
import type { Tab } from '../../generic/detail/tab.ts'
import { msg, t } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import { licenceValid } from '../../session/session.ts'
import { SystemSubscriptions } from '../notifications/SystemSubscriptions.tsx'
import type { PageProps } from '../page-props.ts'
import { License } from '../xpack/License.tsx'
import { LdapTab } from './ldap/LdapTab.tsx'
import { MailTestButton } from './MailTestButton.tsx'
import { SettingFormCard } from './SettingFormCard.tsx'
import type { SettingForm } from './setting-form.ts'
import { AUTH, BASIC, CLEAN, EMAIL_FORM, OTHER, SECURITY, SMS, TERMINAL } from './setting-tabs.ts'

export const routes = places({
  name: 'Settings',
  menu: 'admin-bottom',
  title: msg('Settings'),
  icon: 'settings',
  path: '/settings',
  bits: PERMISSION.super,
})

/**
 * The settings of the installation (spec A2.57). Tabs of what this build cannot do yet are not
 * there.
 */
export function Settings({ title }: PageProps) {
  const tab = (name: string, words: string, form: SettingForm): Tab => ({
    name,
    title: words,
    content: () => <SettingFormCard form={form} />,
  })
  const tabs: Tab[] = [
    tab('Basic', t('Basic@@tab'), BASIC),
    {
      name: 'Email',
      title: t('Email@@tab'),
      content: () => <SettingFormCard form={EMAIL_FORM} extraButtons={<MailTestButton />} />,
    },
    { name: 'Ldap', title: t('LDAP'), content: () => <LdapTab /> },
    tab('Auth', t('Auth@@tab'), AUTH),
    { name: 'SysMessageSub', title: t('Message'), content: () => <SystemSubscriptions /> },
    ...(licenceValid() ? [tab('SMS', t('SMS@@tab'), SMS)] : []),
    tab('Terminal', t('Terminal@@tab'), TERMINAL),
    tab('Security', t('Security@@tab'), SECURITY),
    tab('Clean', t('Retention'), CLEAN),
    tab('Other', t('Other settings'), OTHER),
    { name: 'License', title: t('License'), content: () => <License /> },
  ]
  return (
    <PageFrame title={title}>
      <TabPage tabs={tabs} />
    </PageFrame>
  )
}

export const pages = { Settings }
