/**
 * Every setting of an installation, by category (docs/rules/settings.md). The API's bounds, the
 * metadata of the console's forms, the defaults and the environment variables come from here.
 */
import type { Fields } from '../define.ts'
import { auth, cas, keycloak, oidc, saml2, sso } from './auth.ts'
import { basic } from './basic.ts'
import type { SettingValues } from './define.ts'
import { ldap, ldapConnection, radius } from './directories.ts'
import { email, email_content } from './email.ts'
import { alibaba, dingtalk, feishu, messengerAddresses, slack, sms, teams, tencent, wecom } from './messengers.ts'
import { monitor } from './monitor.ts'
import { clean, installation, other } from './other.ts'
import { security } from './security.ts'
import { terminal } from './terminal.ts'

export { SETTINGS_PATH } from './define.ts'

/** What `?category=all` answers: all but auth, sso, saml2, sms, slack, teams and monitor, as existing clients expect. */
const all = {
  ...basic,
  ...ldap,
  ...terminal,
  ...security,
  ...wecom,
  ...dingtalk,
  ...feishu,
  ...email,
  ...email_content,
  ...other,
  ...oidc,
  ...cas,
  ...radius,
  ...clean,
  ...alibaba,
  ...tencent,
}

/** Categories that the API reads and writes, one object each. */
export const SETTING_CATEGORIES = {
  all,
  basic,
  terminal,
  security,
  ldap,
  email,
  email_content,
  wecom,
  dingtalk,
  feishu,
  slack,
  teams,
  auth,
  oidc,
  keycloak,
  radius,
  cas,
  sso,
  saml2,
  clean,
  monitor,
  other,
  sms,
  alibaba,
  tencent,
} as const satisfies Readonly<Record<string, Fields>>

export type SettingCategory = keyof typeof SETTING_CATEGORIES

/** Every setting by name, including those that only file and environment can set. */
export const ALL_SETTINGS = {
  ...all,
  ...auth,
  ...sso,
  ...saml2,
  ...sms,
  ...slack,
  ...teams,
  ...ldapConnection,
  ...messengerAddresses,
  ...monitor,
  ...installation,
}

export type Settings = SettingValues<typeof ALL_SETTINGS>
export type SettingName = keyof Settings
