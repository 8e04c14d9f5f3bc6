import type { Settings } from '@sallyport/contract/settings/index.ts'
import { boolean, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { sealed } from '../../../../kernel/database/columns.ts'
import { furtherColumns } from '../../people-sources/columns.ts'

/** OpenID providers besides that of the settings. */
export const authenticationOpenidProvider = pgTable('authentication_openid_provider', {
  ...furtherColumns(),
  client_id: text('client_id').notNull(),
  client_secret_sealed: sealed('client_secret_sealed'),
  issuer: text('issuer').notNull(),
  authorization_endpoint: text('authorization_endpoint').notNull(),
  token_endpoint: text('token_endpoint').notNull(),
  jwks_endpoint: text('jwks_endpoint').notNull(),
  userinfo_endpoint: text('userinfo_endpoint').notNull(),
  end_session_endpoint: text('end_session_endpoint').notNull().default(''),
  signature_alg: text('signature_alg').notNull().default('RS256'),
  signature_key: text('signature_key').notNull().default(''),
  ignore_ssl_verification: boolean('ignore_ssl_verification').notNull().default(false),
  scopes: text('scopes').notNull(),
  user_attr_map: jsonb('user_attr_map').$type<Settings['AUTH_OPENID_USER_ATTR_MAP']>().notNull(),
  groups_claim: text('groups_claim').notNull().default(''),
  email_is_trusted: boolean('email_is_trusted').notNull().default(false),
  always_update_user: boolean('always_update_user').notNull().default(true),
  share_session: boolean('share_session').notNull().default(true),
  id_token_max_age: integer('id_token_max_age').notNull().default(60),
  id_token_include_claims: boolean('id_token_include_claims').notNull().default(true),
  use_state: boolean('use_state').notNull().default(true),
  use_nonce: boolean('use_nonce').notNull().default(true),
})
