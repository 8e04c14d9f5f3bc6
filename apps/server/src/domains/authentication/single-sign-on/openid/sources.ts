/** The OpenID providers whose people sign in here: first that of the settings, then the further ones in their order. */
import { type PeopleSource, peopleSources, type SignInPages } from '../../people-sources/sources.ts'
import { authenticationOpenidProvider } from './tables.ts'

export interface OpenidPages extends SignInPages {
  backchannelLogout: string
  frontchannelLogout: string
}
export type OpenidSource = PeopleSource<OpenidPages>

const pagesBelow = (place: string): OpenidPages => ({
  login: `${place}login/`,
  callback: `${place}callback/`,
  backchannelLogout: `${place}backchannel-logout/`,
  frontchannelLogout: `${place}frontchannel-logout/`,
})

export const openidSources = peopleSources({
  isOn: 'AUTH_OPENID',
  firstName: 'OpenID',
  firstPages: pagesBelow('/core/auth/openid/'),
  // Each has its own, so that an answer for one is never read as that of another (RFC 9700 §4.4.2).
  furtherPages: (id) => pagesBelow(`/core/auth/openid/providers/${id}/`),
  table: authenticationOpenidProvider,
  fields: {
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
  },
  sealed: { AUTH_OPENID_CLIENT_SECRET: { column: 'client_secret_sealed', what: 'client secret of OpenID provider' } },
  fixed: { AUTH_OPENID_KEYCLOAK: false },
})
