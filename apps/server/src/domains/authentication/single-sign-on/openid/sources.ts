/** The OpenID providers whose people sign in here: first that of the settings, then the further ones in their order. */
import { and, asc, eq } from 'drizzle-orm'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { isUuid } from '../../../../kernel/resource/conditions.ts'
import { type SettingName, type Settings, type SettingsStore, settingsOf } from '../../../settings/index.ts'
import { OPENID_LOGIN } from '../../login-pages.ts'
import type { ReadSettings } from './provider.ts'
import { authenticationOpenidProvider as provider } from './tables.ts'

export interface OpenidSource {
  /** The id of the provider; null for that of the settings. */
  id: string | null
  name: string
  /** Whether nobody new comes in by it. */
  existingOnly: boolean
  /** How it is asked, by the names of the settings. */
  settings: ReadSettings
  pages: OpenidPages
}

export interface OpenidPages {
  login: string
  callback: string
  backchannelLogout: string
  frontchannelLogout: string
}

const pagesBelow = (place: string): OpenidPages => ({
  login: `${place}login/`,
  callback: `${place}callback/`,
  backchannelLogout: `${place}backchannel-logout/`,
  frontchannelLogout: `${place}frontchannel-logout/`,
})

/** The pages of the provider of the settings. */
export const FIRST_PAGES: OpenidPages = { ...pagesBelow('/core/auth/openid/'), login: OPENID_LOGIN }

/**
 * The pages of a further provider: each has its own, so that an answer for one is never read as that of
 * another (RFC 9700 §4.4.2).
 */
export const furtherPages = (id: string): OpenidPages => pagesBelow(`/core/auth/openid/providers/${id}/`)

type Place = Pick<Kernel, 'db' | 'secrets'>
type Stored = typeof provider.$inferSelect

/** The provider of the settings; undefined while it is off. */
export function firstOpenid(kernel: Kernel): OpenidSource | undefined {
  const settings = settingsOf(kernel)
  if (!settings.get('AUTH_OPENID')) return undefined
  return { id: null, name: 'OpenID', existingOnly: false, settings, pages: FIRST_PAGES }
}

/** Those besides the provider of the settings that are on, in their order. */
export async function furtherOpenids(place: Place, settings: ReadSettings): Promise<OpenidSource[]> {
  const rows = await place.db
    .select()
    .from(provider)
    .where(eq(provider.is_active, true))
    .orderBy(asc(provider.priority), asc(provider.name))
  return rows.map((row) => sourceOf(place, settings, row))
}

/** Names and pages of the same, for the sign-in page. */
export async function furtherLogins({ db }: Pick<Kernel, 'db'>): Promise<{ name: string; login: string }[]> {
  const rows = await db
    .select({ id: provider.id, name: provider.name })
    .from(provider)
    .where(eq(provider.is_active, true))
    .orderBy(asc(provider.priority), asc(provider.name))
  return rows.map(({ id, name }) => ({ name, login: furtherPages(id).login }))
}

/** A provider by its id, null for that of the settings; undefined for one that is off or gone. */
export async function openidInForce(kernel: Kernel, id: string | null): Promise<OpenidSource | undefined> {
  if (id === null) return firstOpenid(kernel)
  if (!isUuid(id)) return undefined
  const [row] = await kernel.db
    .select()
    .from(provider)
    .where(and(eq(provider.id, id), provider.is_active))
  return row && sourceOf(kernel, settingsOf(kernel), row)
}

/** The fields of a further provider, by the settings whose places they take. */
export const FIELDS = {
  AUTH_OPENID: 'is_active',
  AUTH_OPENID_CLIENT_ID: 'client_id',
  AUTH_OPENID_PROVIDER_ENDPOINT: 'issuer',
  AUTH_OPENID_PROVIDER_AUTHORIZATION_ENDPOINT: 'authorization_endpoint',
  AUTH_OPENID_PROVIDER_TOKEN_ENDPOINT: 'token_endpoint',
  AUTH_OPENID_PROVIDER_JWKS_ENDPOINT: 'jwks_endpoint',
  AUTH_OPENID_PROVIDER_USERINFO_ENDPOINT: 'userinfo_endpoint',
  AUTH_OPENID_PROVIDER_END_SESSION_ENDPOINT: 'end_session_endpoint',
  AUTH_OPENID_PROVIDER_SIGNATURE_ALG: 'signature_alg',
  AUTH_OPENID_PROVIDER_SIGNATURE_KEY: 'signature_key',
  AUTH_OPENID_IGNORE_SSL_VERIFICATION: 'ignore_ssl_verification',
  AUTH_OPENID_SCOPES: 'scopes',
  AUTH_OPENID_USER_ATTR_MAP: 'user_attr_map',
  AUTH_OPENID_GROUPS_CLAIM: 'groups_claim',
  AUTH_OPENID_EMAIL_IS_TRUSTED: 'email_is_trusted',
  AUTH_OPENID_ALWAYS_UPDATE_USER: 'always_update_user',
  AUTH_OPENID_SHARE_SESSION: 'share_session',
  AUTH_OPENID_ID_TOKEN_MAX_AGE: 'id_token_max_age',
  AUTH_OPENID_ID_TOKEN_INCLUDE_CLAIMS: 'id_token_include_claims',
  AUTH_OPENID_USE_STATE: 'use_state',
  AUTH_OPENID_USE_NONCE: 'use_nonce',
} as const satisfies Partial<Record<SettingName, keyof Stored>>

/** Values of a provider's row by the names of settings. */
export const asSettings = (row: Partial<Record<(typeof FIELDS)[keyof typeof FIELDS], unknown>>): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(FIELDS).flatMap(([name, field]) => (row[field] === undefined ? [] : [[name, row[field]]])),
  )

function sourceOf({ secrets }: Pick<Place, 'secrets'>, settings: ReadSettings, row: Stored): OpenidSource {
  const own: Partial<Settings> = { ...asSettings(row), AUTH_OPENID_KEYCLOAK: false }
  const { id, name, existing_only, client_secret_sealed: sealed } = row
  const get: SettingsStore['get'] = (setting) => {
    if (setting === 'AUTH_OPENID_CLIENT_SECRET')
      return (sealed ? secrets.open('sign_in', `client secret of OpenID provider ${id}`)(sealed) : '') as never
    return setting in own ? (own[setting] as never) : settings.get(setting)
  }
  return { id, name, existingOnly: existing_only, settings: { get }, pages: furtherPages(id) }
}
