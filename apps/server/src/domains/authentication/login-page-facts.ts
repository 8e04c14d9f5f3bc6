import type { Kernel } from '../../kernel/kernel.ts'
import { type SettingsStore, settingsOf } from '../settings/index.ts'
import { isAnyDirectoryOpen } from '../users/directories/index.ts'

const DAY_SECONDS = 86_400

/** The facts on the sign-in page, in every form (docs/rules/authentication.md#login_page). */
export interface LoginPageFacts {
  /**
   * For how many whole days a browser may stay signed in after it was closed; 0 when that is not
   * offered.
   */
  auto_login_days: number
  /** Where people ask for a new password; empty: on this site. */
  forgot_password_url: string
}

export async function loginPageFacts(kernel: Kernel): Promise<LoginPageFacts> {
  return { auto_login_days: autoLoginDays(settingsOf(kernel)), forgot_password_url: await forgotPasswordUrl(kernel) }
}

/**
 * Whole days of a browser session; 0 when sessions end with the browser or last less than a day.
 */
function autoLoginDays(settings: SettingsStore): number {
  return settings.get('SESSION_EXPIRE_AT_BROWSER_CLOSE_FORCE')
    ? 0
    : Math.floor(settings.get('SESSION_COOKIE_AGE') / DAY_SECONDS)
}

/**
 * The setting counts only while people come from outside sources, whose passwords are changed
 * there.
 */
export async function forgotPasswordUrl(kernel: Kernel): Promise<string> {
  const settings = settingsOf(kernel)
  const url = settings.get('FORGOT_PASSWORD_URL')
  if (!url) return ''
  const isFirstOn = (['AUTH_LDAP', 'AUTH_OPENID', 'AUTH_RADIUS', 'AUTH_CAS', 'AUTH_SAML2'] as const).some((name) =>
    settings.get(name),
  )
  return isFirstOn || (await isAnyDirectoryOpen(kernel.db)) ? url : ''
}
