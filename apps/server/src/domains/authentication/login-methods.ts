import { messengers } from '../notifications/index.ts'
import type { SettingsStore } from '../settings/index.ts'
import { CAS_LOGIN, OPENID_LOGIN, SAML2_LOGIN } from './login-pages.ts'
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
export function loginMethods(settings: SettingsStore): LoginMethod[] {
  const qrCodes = messengers.filter((messenger) => settings.get(messenger.settings.isOn))
  return [
    ...providers(settings),
    ...qrCodes.map(({ name, title }) => ({ backend: name.toUpperCase(), name: title, url: signInPage(name) })),
  ]
}

/**
 * The methods to which the sign-in page may redirect. Messengers are left out: a person who has not
 * bound one yet needs the page.
 */
function providers(settings: SettingsStore): LoginMethod[] {
  return [
    ...(settings.get('AUTH_OPENID') ? [{ backend: 'OPENID', name: 'OpenID', url: OPENID_LOGIN }] : []),
    ...(settings.get('AUTH_CAS') ? [{ backend: 'CAS', name: 'CAS', url: CAS_LOGIN }] : []),
    ...(settings.get('AUTH_SAML2') ? [{ backend: 'SAML2', name: 'SAML2', url: SAML2_LOGIN }] : []),
  ]
}

/**
 * Where the sign-in page redirects to, unless it was opened with `admin=1`; undefined for nowhere.
 */
export function loginRedirect(settings: SettingsStore): LoginMethod | undefined {
  const wanted = settings.get('LOGIN_REDIRECT_TO_BACKEND')
  if (wanted === 'DIRECT') return undefined
  const methods = providers(settings)
  return methods.find(({ backend }) => backend === wanted) ?? methods[0]
}
