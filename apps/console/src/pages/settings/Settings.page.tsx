import { PERMISSION } from '@sallyport/contract/access.ts'
import { lazily } from '../../design/lazily.tsx'
import { TabPage } from '../../generic/detail/TabPage.tsx'
import type { Tab } from '../../generic/detail/tab.ts'
import { msg, t } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import { licenseValid } from '../../session/session.ts'
import { SystemSubscriptions } from '../notifications/SystemSubscriptions.tsx'
import type { PageProps } from '../page-props.ts'
import { AuthTab } from './further/AuthTab.tsx'
import { LDAP } from './ldap/ldap-form.ts'
import { SettingFormCard } from './SettingFormCard.tsx'
import { SettingSearch } from './SettingSearch.tsx'
import type { SettingForm } from './setting-form.ts'
import {
  AUTH,
  BASIC,
  CLEAN,
  EMAIL_FORM,
  MONITOR,
  OTHER,
  SECURITY,
  SLACK,
  SMS,
  TEAMS,
  TERMINAL,
} from './setting-tabs.ts'

const License = lazily(() => import('../xpack/License.tsx').then((m) => m.License))
const LdapTab = lazily(() => import('./ldap/LdapTab.tsx').then((m) => m.LdapTab))

export const routes = places({
  name: 'Settings',
  menu: 'admin-bottom',
  title: msg('Settings'),
  icon: 'settings',
  path: '/settings',
  bits: PERMISSION.super,
})

/**
 * The settings of the installation (A2.57). Tabs of what this build cannot do yet are not
 * there.
 */
export function Settings({ title }: PageProps) {
  const tab = (name: string, words: string, form: SettingForm): Tab & { form: SettingForm } => ({
    name,
    title: words,
    form,
    content: () => <SettingFormCard form={form} />,
  })
  const sections: { group: string; tabs: readonly (Tab & { form?: SettingForm })[] }[] = [
    {
      group: t('General'),
      tabs: [
        tab('Basic', t('Basic@@tab'), BASIC),
        tab('Email', t('Email@@tab'), EMAIL_FORM),
        { name: 'SysMessageSub', title: t('Messages@@tab'), content: () => <SystemSubscriptions /> },
        tab('Slack', t('Slack'), SLACK),
        tab('Teams', t('Microsoft Teams'), TEAMS),
        ...(licenseValid() ? [tab('SMS', t('SMS@@tab'), SMS)] : []),
      ],
    },
    {
      group: t('Signing in@@settings'),
      tabs: [
        tab('Security', t('Security@@tab'), SECURITY),
        { ...tab('Auth', t('Sign-in methods'), AUTH), content: () => <AuthTab /> },
        { ...tab('Ldap', t('LDAP'), LDAP), content: () => <LdapTab /> },
      ],
    },
    {
      group: t('Operations@@settings'),
      tabs: [
        tab('Terminal', t('Terminal@@tab'), TERMINAL),
        tab('Clean', t('Retention'), CLEAN),
        tab('Monitor', t('System monitor'), MONITOR),
        tab('Other', t('Other settings'), OTHER),
        { name: 'License', title: t('License'), content: () => <License /> },
      ],
    },
  ]
  const tabs = sections.flatMap(({ group, tabs }) => tabs.map((one) => ({ ...one, group })))
  return (
    <PageFrame title={title}>
      <TabPage tabs={tabs} side={<SettingSearch tabs={tabs} />} />
    </PageFrame>
  )
}

export const pages = { Settings }
