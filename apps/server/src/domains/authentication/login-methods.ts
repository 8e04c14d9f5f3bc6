import type { Kernel } from '../../kernel/kernel.ts'
import { messengers } from '../notifications/index.ts'
import { type SettingsStore, settingsOf } from '../settings/index.ts'
import { CAS_LOGIN, OPENID_LOGIN, SAML2_LOGIN } from './login-pages.ts'
import { furtherLogins } from './single-sign-on/openid/sources.ts'
import { signInPage } from './single-sign-on/third-party/paths.ts'

/** A way to sign in that starts at a page of its own. */
export interface LoginMethod {
  /** Its name in LOGIN_REDIRECT_TO_BACKEND. */
  backend: string
  name: string
  url: string
}

/**
 * Ways to sign in besides name and password, in the order of the page
 * (docs/rules/authentication.md#login_page).
 */
export async function loginMethods(kernel: Kernel): Promise<LoginMethod[]> {
  const settings = settingsOf(kernel)
  const qrCodes = messengers.filter((messenger) => settings.get(messenger.settings.isOn))
  return [
    ...(settings.get('AUTH_OPENID') ? [FIRST_OPENID] : []),
    ...(await furtherLogins(kernel)).map(({ name, login }) => ({ backend: 'OPENID', name, url: login })),
    ...providers(settings).filter((method) => method !== FIRST_OPENID),
    ...qrCodes.map(({ name, title }) => ({ backend: name.toUpperCase(), name: title, url: signInPage(name) })),
  ]
}

const FIRST_OPENID: LoginMethod = { backend: 'OPENID', name: 'OpenID', url: OPENID_LOGIN }

/**
 * The methods to which the sign-in page may redirect. Messengers are left out: a person who has not
 * bound one yet needs the page.
 */
function providers(settings: SettingsStore): LoginMethod[] {
  return [
    ...(settings.get('AUTH_OPENID') ? [FIRST_OPENID] : []),
    ...(settings.get('AUTH_CAS') ? [{ backend: 'CAS', name: 'CAS', url: CAS_LOGIN }] : []),
    ...(settings.get('AUTH_SAML2') ? [{ backend: 'SAML2', name: 'SAML2', url: SAML2_LOGIN }] : []),
  ]
}

/**
 * Where the sign-in page redirects to, unless it was opened with `admin=1`; undefined for nowhere.
 * Where there are further providers, people choose, unless the settings name one.
 */
export async function loginRedirect(kernel: Kernel): Promise<LoginMethod | undefined> {
  const settings = settingsOf(kernel)
  const wanted = settings.get('LOGIN_REDIRECT_TO_BACKEND')
  if (wanted === 'DIRECT') return undefined
  const methods = providers(settings)
  const named = methods.find(({ backend }) => backend === wanted)
  if (named) return named
  return (await furtherLogins(kernel)).length ? undefined : methods[0]
}
