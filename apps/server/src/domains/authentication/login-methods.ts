import type { Kernel } from '../../kernel/kernel.ts'
import { messengers } from '../notifications/index.ts'
import { type SettingsStore, settingsOf } from '../settings/index.ts'
import type { FurtherTable } from './people-sources/columns.ts'
import { namesInOrder } from './people-sources/rows.ts'
import type { PeopleSources, SignInPages } from './people-sources/sources.ts'
import { casSources } from './single-sign-on/cas/sources.ts'
import { openidSources } from './single-sign-on/openid/sources.ts'
import { saml2Sources } from './single-sign-on/saml2/sources.ts'
import { signInPage } from './single-sign-on/third-party/paths.ts'

/** A way to sign in that starts at a page of its own. */
export interface LoginMethod {
  /** Its name in LOGIN_REDIRECT_TO_BACKEND. */
  backend: string
  name: string
  url: string
}

interface ProviderKind {
  backend: string
  name: string
  isOn: 'AUTH_OPENID' | 'AUTH_CAS' | 'AUTH_SAML2'
  sources: PeopleSources<FurtherTable, SignInPages>
}

/** In the order of the page. */
const KINDS: readonly ProviderKind[] = [
  { backend: 'OPENID', name: 'OpenID', isOn: 'AUTH_OPENID', sources: openidSources },
  { backend: 'CAS', name: 'CAS', isOn: 'AUTH_CAS', sources: casSources },
  { backend: 'SAML2', name: 'SAML2', isOn: 'AUTH_SAML2', sources: saml2Sources },
]

/**
 * Ways to sign in besides name and password, in the order of the page
 * (docs/rules/authentication.md#login_page).
 */
export async function loginMethods(kernel: Kernel): Promise<LoginMethod[]> {
  const settings = settingsOf(kernel)
  const qrCodes = messengers.filter((messenger) => settings.get(messenger.settings.isOn))
  const providers = await Promise.all(
    KINDS.map(async (kind) => [...firstOf(settings, kind), ...(await furtherOf(kernel, kind))]),
  )
  return [
    ...providers.flat(),
    ...qrCodes.map(({ name, title }) => ({ backend: name.toUpperCase(), name: title, url: signInPage(name) })),
  ]
}

/** That of the settings, while it is on. */
const firstOf = (settings: SettingsStore, { backend, name, isOn, sources }: ProviderKind): LoginMethod[] =>
  settings.get(isOn) ? [{ backend, name, url: sources.firstPages.login }] : []

async function furtherOf({ db }: Pick<Kernel, 'db'>, { backend, sources }: ProviderKind): Promise<LoginMethod[]> {
  const rows = await namesInOrder(db, sources.table)
  return rows.map(({ id, name }) => ({ backend, name, url: sources.furtherPages(id).login }))
}

/**
 * Where the sign-in page redirects to, unless it was opened with `admin=1`; undefined for nowhere.
 * Where there are further providers, people choose, unless the settings name one. Messengers are left
 * out: a person who has not bound one yet needs the page.
 */
export async function loginRedirect(kernel: Kernel): Promise<LoginMethod | undefined> {
  const settings = settingsOf(kernel)
  const wanted = settings.get('LOGIN_REDIRECT_TO_BACKEND')
  if (wanted === 'DIRECT') return undefined
  const methods = KINDS.flatMap((kind) => firstOf(settings, kind))
  const named = methods.find(({ backend }) => backend === wanted)
  if (named) return named
  const further = await Promise.all(KINDS.map((kind) => furtherOf(kernel, kind)))
  return further.flat().length ? undefined : methods[0]
}
