import { type Draft, defineResource, type Row } from '../../define.ts'
import { FURTHER_LISTED, FURTHER_TAIL, NOBODY_NEW, PROVIDER_HEAD } from '../../further-source.ts'
import { CRUD } from '../../operations.ts'

const oneLine = { type: 'string', maxLength: 1024 } as const
const endpoint = { ...oneLine, required: true } as const

/**
 * A further OpenID provider whose people sign in here, beside the one of the settings (AUTH_OPENID_…),
 * which is the first. An extension: the contract has none.
 */
export const openidProvider = defineResource({
  name: 'openid_provider',
  path: '/api/v1/authentication/openid-providers/',
  label: 'OpenID provider',
  scope: 'global',
  operations: [...CRUD],
  permission: { list: ['super_admin'], write: ['super_admin'] },
  display: '{name}',
  fields: {
    ...PROVIDER_HEAD,
    client_id: {
      ...oneLine,
      label: 'Client ID',
      helpText: 'As the provider names this server',
      required: true,
    },
    client_secret: { type: 'string', label: 'Client secret', nullable: true, writeOnly: true, maxLength: 1024 },
    issuer: {
      ...endpoint,
      label: 'Provider endpoint',
      helpText: 'The issuer, exactly as the provider names itself',
    },
    authorization_endpoint: { ...endpoint, label: 'Authorization endpoint' },
    token_endpoint: { ...endpoint, label: 'Token endpoint' },
    jwks_endpoint: { ...endpoint, label: 'JWKS endpoint' },
    userinfo_endpoint: { ...endpoint, label: 'Userinfo endpoint' },
    end_session_endpoint: { ...oneLine, label: 'Sign-out endpoint', blank: true, default: '' },
    signature_alg: {
      ...oneLine,
      label: 'Signature algorithm',
      helpText: 'The one that tokens are signed with, such as RS256',
      default: 'RS256',
    },
    signature_key: {
      type: 'text',
      label: 'Signature key',
      helpText: 'The public key in PEM form; empty takes those of the JWKS endpoint',
      blank: true,
      maxLength: 16_384,
      default: '',
    },
    ignore_ssl_verification: {
      type: 'boolean',
      label: 'Ignore SSL verification',
      helpText: 'Only for a trial: anybody in between could sign in as anybody',
      default: false,
    },
    scopes: {
      ...oneLine,
      label: 'Scopes',
      helpText: 'Asked for, with a space between',
      default: 'openid profile email',
    },
    user_attr_map: {
      type: 'object',
      label: 'Claims of OpenID people',
      helpText: 'Our username, name, email and phone, each with its claim',
      default: { username: 'preferred_username', name: 'name', email: 'email', phone: 'phone_number' },
    },
    groups_claim: {
      ...oneLine,
      label: 'Claim of groups',
      helpText:
        'Its values are the groups that group mappings know: groups, or a path such as realm_access.roles; none while it is empty',
      blank: true,
      default: '',
    },
    email_is_trusted: {
      type: 'boolean',
      label: 'OpenID addresses are verified',
      helpText:
        'Where the user name is the claim `email` and the provider sends no `email_verified`: whether its addresses name people all the same. Only for providers whose people cannot choose their address',
      default: false,
    },
    existing_only: NOBODY_NEW,
    always_update_user: {
      type: 'boolean',
      label: 'Always update user',
      helpText: 'At each sign-in, name and email become those of the provider',
      default: true,
    },
    share_session: {
      type: 'boolean',
      label: 'Share session',
      helpText: 'Who signs out here is signed out at the provider as well',
      default: true,
    },
    id_token_max_age: {
      type: 'integer',
      label: 'Token max age',
      helpText: 'Seconds',
      min: 1,
      max: 86_400,
      default: 60,
    },
    id_token_include_claims: {
      type: 'boolean',
      label: 'Token includes claims',
      helpText: 'Name and email are read from the token itself if they are there',
      default: true,
    },
    use_state: { type: 'boolean', label: 'Use state', default: true },
    use_nonce: { type: 'boolean', label: 'Use nonce', default: true },
    callback_url: {
      type: 'string',
      label: 'Redirect URI',
      helpText: 'Entered at the provider: people come back here',
      readOnly: true,
    },
    backchannel_logout_url: {
      type: 'string',
      label: 'Back-channel logout URI',
      helpText: 'Entered at the provider: it says here which sessions it has ended',
      readOnly: true,
    },
    frontchannel_logout_url: { type: 'string', label: 'Front-channel logout URI', readOnly: true },
    ...FURTHER_TAIL,
  },
  search: ['name', 'issuer'],
  ...FURTHER_LISTED,
})
export type OpenidProvider = Row<typeof openidProvider>
export type OpenidProviderDraft = Draft<typeof openidProvider>
