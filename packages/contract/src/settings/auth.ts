import { basic } from './basic.ts'
import { defineSettings } from './define.ts'
import { radius } from './directories.ts'
import { dingtalk, feishu, wecom } from './messengers.ts'

const RENAME_HELP = 'Attributes of the provider, each with our username, name, email, phone or comment'

/** docs/rules/settings.md#setting_cas. */
export const cas = defineSettings({
  AUTH_CAS: { type: 'boolean', label: 'Sign-in by CAS', default: false },
  CAS_SERVER_URL: {
    type: 'string',
    label: 'Server URL',
    helpText: 'The address that the pages of CAS begin with',
    maxLength: 1024,
    default: 'https://example.com/cas/',
  },
  CAS_ROOT_PROXIED_AS: {
    type: 'string',
    label: 'Proxy server URL',
    helpText: 'Address at which people open this server; while it is the example, the site URL counts',
    maxLength: 1024,
    default: 'https://example.com',
  },
  CAS_LOGOUT_COMPLETELY: {
    type: 'boolean',
    label: 'Sign out there, too',
    helpText: 'Who signs out here is signed out of CAS as well',
    default: true,
  },
  CAS_VERSION: { type: 'integer', label: 'Version', min: 1, max: 3, default: 3 },
  CAS_USERNAME_ATTRIBUTE: {
    type: 'string',
    label: 'Username attribute',
    helpText: 'The attribute that the username here is taken from',
    maxLength: 1024,
    default: 'uid',
  },
  CAS_APPLY_ATTRIBUTES_TO_USER: {
    type: 'boolean',
    label: 'Enable attributes map',
    helpText: 'Name and email follow the attributes below at each sign-in',
    default: false,
  },
  CAS_RENAME_ATTRIBUTES: {
    type: 'object',
    label: 'Rename attributes',
    helpText: RENAME_HELP,
    default: { uid: 'username' },
  },
  CAS_GROUPS_ATTRIBUTE: {
    type: 'string',
    label: 'Attribute of groups',
    helpText: 'Its values are the groups that group mappings know; none while it is empty',
    maxLength: 1024,
    default: '',
  },
  CAS_CREATE_USER: {
    type: 'boolean',
    label: 'Create missing user',
    helpText: 'Who signs in for the first time becomes a user here',
    default: true,
  },
})

const text = (label: string, value: string) => ({ type: 'string', label, maxLength: 1024, default: value }) as const

/**
 * docs/rules/settings.md#setting_oidc: the category keycloak has the first eight fields of oidc.
 */
export const keycloak = defineSettings({
  BASE_SITE_URL: {
    type: 'string',
    label: 'Base site URL',
    helpText: 'Address at which people open this server; the site URL when empty',
    nullable: true,
    maxLength: 1024,
    default: '',
  },
  AUTH_OPENID_CLIENT_ID: { ...text('Client ID', 'client-id'), helpText: 'As the provider names this server' },
  AUTH_OPENID_CLIENT_SECRET: {
    ...text('Client secret', ''),
    writeOnly: true,
    sentTo: {
      addresses: [
        'AUTH_OPENID_KEYCLOAK',
        'AUTH_OPENID_SERVER_URL',
        'AUTH_OPENID_REALM_NAME',
        'AUTH_OPENID_PROVIDER_ENDPOINT',
        'AUTH_OPENID_PROVIDER_TOKEN_ENDPOINT',
      ],
      uncheckedBy: ['AUTH_OPENID_IGNORE_SSL_VERIFICATION'],
    },
  },
  AUTH_OPENID_SHARE_SESSION: {
    type: 'boolean',
    label: 'Share session',
    helpText: 'Who signs out here is signed out at the provider as well',
    default: true,
  },
  // The old default trusted any certificate (docs/compatibility.md).
  AUTH_OPENID_IGNORE_SSL_VERIFICATION: {
    type: 'boolean',
    label: 'Ignore SSL verification',
    helpText: 'Only for a trial: anybody in between could sign in as anybody',
    default: false,
  },
  AUTH_OPENID_KEYCLOAK: {
    type: 'boolean',
    label: 'Use Keycloak',
    helpText: 'Address and realm are enough then',
    default: true,
  },
  AUTH_OPENID_SERVER_URL: {
    ...text('Server URL', 'https://keycloak.example.com'),
    helpText: 'Where Keycloak is, such as https://keycloak.example.com',
  },
  AUTH_OPENID_REALM_NAME: {
    ...text('Realm name', ''),
    helpText: 'The realm of the people who sign in',
    nullable: true,
  },
})

/** docs/rules/settings.md#setting_oidc. */
export const oidc = defineSettings({
  ...keycloak,
  AUTH_OPENID: { type: 'boolean', label: 'Sign-in by OpenID', default: false },
  AUTH_OPENID_PROVIDER_ENDPOINT: {
    ...text('Provider endpoint', 'https://oidc.example.com/'),
    helpText: 'The issuer, exactly as the provider names itself',
  },
  AUTH_OPENID_PROVIDER_AUTHORIZATION_ENDPOINT: text('Authorization endpoint', 'https://oidc.example.com/authorize'),
  AUTH_OPENID_PROVIDER_TOKEN_ENDPOINT: text('Token endpoint', 'https://oidc.example.com/token'),
  AUTH_OPENID_PROVIDER_JWKS_ENDPOINT: text('JWKS endpoint', 'https://oidc.example.com/jwks'),
  AUTH_OPENID_PROVIDER_USERINFO_ENDPOINT: text('Userinfo endpoint', 'https://oidc.example.com/userinfo'),
  AUTH_OPENID_PROVIDER_END_SESSION_ENDPOINT: text('Sign-out endpoint', 'https://oidc.example.com/logout'),
  AUTH_OPENID_PROVIDER_SIGNATURE_ALG: {
    ...text('Signature algorithm', 'HS256'),
    helpText: 'The one that tokens are signed with, such as RS256',
  },
  AUTH_OPENID_PROVIDER_SIGNATURE_KEY: {
    ...text('Signature key', ''),
    helpText: 'The public key in PEM form; empty takes those of the JWKS endpoint',
    nullable: true,
  },
  AUTH_OPENID_SCOPES: { ...text('Scopes', 'openid profile email'), helpText: 'Asked for, with a space between' },
  AUTH_OPENID_ID_TOKEN_MAX_AGE: { type: 'integer', label: 'Token max age', helpText: 'Seconds', min: 1, default: 60 },
  AUTH_OPENID_ID_TOKEN_INCLUDE_CLAIMS: {
    type: 'boolean',
    label: 'Token includes claims',
    helpText: 'Name and email are read from the token itself if they are there',
    default: true,
  },
  AUTH_OPENID_USE_STATE: { type: 'boolean', label: 'Use state', default: true },
  AUTH_OPENID_USE_NONCE: { type: 'boolean', label: 'Use nonce', default: true },
  AUTH_OPENID_GROUPS_CLAIM: {
    ...text('Claim of groups', ''),
    helpText:
      'Its values are the groups that group mappings know: groups, or a path such as realm_access.roles; none while it is empty',
  },
  AUTH_OPENID_ALWAYS_UPDATE_USER: {
    type: 'boolean',
    label: 'Always update user',
    helpText: 'At each sign-in, name and email become those of the provider',
    default: true,
  },
})

/** docs/rules/settings.md#setting_sso. */
export const sso = defineSettings({
  AUTH_SSO: {
    type: 'boolean',
    label: 'Sign-in by SSO link',
    helpText: 'Another system of yours asks for a link by the API, which signs one person in',
    default: false,
  },
  AUTH_SSO_AUTHKEY_TTL: {
    type: 'integer',
    label: 'SSO key lifetime',
    helpText: 'Seconds',
    min: 1,
    max: 1800,
    default: 900,
  },
})

const document = (label: string) => ({ type: 'text', label, maxLength: 100_000, default: '' }) as const

/** docs/rules/settings.md#setting_saml2. */
export const saml2 = defineSettings({
  AUTH_SAML2: { type: 'boolean', label: 'Sign-in by SAML2', default: false },
  SAML2_IDP_METADATA_URL: {
    type: 'url',
    label: 'IdP metadata URL',
    helpText: 'The provider is read from there; or give the file itself below',
    maxLength: 1024,
    default: '',
  },
  SAML2_IDP_METADATA_XML: document('IdP metadata XML'),
  SAML2_SP_ADVANCED_SETTINGS: {
    type: 'object',
    label: 'SP advanced settings',
    default: {
      organization: { en: { name: 'Sallyport', displayname: 'Sallyport', url: 'https://example.com/' } },
      strict: true,
      security: {},
    },
  },
  SAML2_SP_KEY_CONTENT: { ...document('SP private key'), writeOnly: true, sentTo: { addresses: [] } },
  SAML2_SP_CERT_CONTENT: { ...document('SP certificate'), writeOnly: true, sentTo: { addresses: [] } },
  SAML2_RENAME_ATTRIBUTES: {
    type: 'object',
    label: 'Rename attributes',
    helpText: RENAME_HELP,
    default: { uid: 'username', email: 'email' },
  },
  SAML2_GROUPS_ATTRIBUTE: {
    type: 'string',
    label: 'Attribute of groups',
    helpText: 'Its values are the groups that group mappings know; none while it is empty',
    maxLength: 1024,
    default: '',
  },
  SAML2_LOGOUT_COMPLETELY: {
    type: 'boolean',
    label: 'Sign out there, too',
    helpText: 'Who signs out here is signed out at the provider as well',
    default: true,
  },
  AUTH_SAML2_ALWAYS_UPDATE_USER: {
    type: 'boolean',
    label: 'Always update user',
    helpText: 'At each sign-in, name and email become those of the provider',
    default: true,
  },
})

/**
 * docs/rules/settings.md#setting_auth: the switch of each method and what concerns all of them;
 * the last one is an extension.
 */
export const auth = defineSettings({
  AUTH_CAS: cas.AUTH_CAS,
  AUTH_OPENID: oidc.AUTH_OPENID,
  AUTH_RADIUS: radius.AUTH_RADIUS,
  AUTH_DINGTALK: dingtalk.AUTH_DINGTALK,
  AUTH_FEISHU: feishu.AUTH_FEISHU,
  AUTH_WECOM: wecom.AUTH_WECOM,
  AUTH_SSO: sso.AUTH_SSO,
  AUTH_SAML2: saml2.AUTH_SAML2,
  FORGOT_PASSWORD_URL: basic.FORGOT_PASSWORD_URL,
  LOGIN_REDIRECT_MSG_ENABLED: {
    type: 'boolean',
    label: 'Say so before leading to a provider',
    helpText: 'A page names the provider before people are sent there',
    default: true,
  },
  AUTH_PASSKEY: {
    type: 'boolean',
    label: 'Sign-in with a passkey',
    helpText: 'Instead of name and password; as a second factor passkeys count in any case',
    default: true,
  },
})
