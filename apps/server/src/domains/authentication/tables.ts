import { boolean, customType, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { dateCreated, dateTime, id, sealed } from '../../kernel/database/columns.ts'

/** SHA-256 of a random value that only its holder knows. */
const hash = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' })

export const authenticationSession = pgTable('authentication_session', {
  id: id(),
  key_hash: hash('key_hash').notNull(),
  user_id: uuid('user_id'),
  state: jsonb('state').$type<SignInState>().notNull().default({}),
  remote_addr: text('remote_addr').notNull().default(''),
  user_agent: text('user_agent').notNull().default(''),
  date_created: dateCreated(),
  /** To the minute. */
  date_last_seen: dateTime('date_last_seen').notNull().defaultNow(),
  date_expired: dateTime('date_expired').notNull(),
})

/** What an unfinished sign-in remembers. */
export interface SignInState {
  /** Private half of the pair that the password is encrypted with on its way; sealed, base64. */
  transport_key?: string
  /** The sum that the sign-in page asks, until it is answered. */
  captcha?: { key: string; question: string; answer: string }
  /** Name and password, or a key, that were right; the second factor is still due, or was proven. */
  proven?: ProvenSignIn
  /** A sign-in by OpenID that is under way. */
  openid?: OpenidStart
  /** Why an outside sign-in was refused, in the person's language, until the sign-in page shows it. */
  refusal?: string
  /** Of a finished session that began at an OpenID provider: its ID token, for the sign-out there; sealed, base64. */
  openid_token?: string
  /** Secret of an authenticator app that is being set up; sealed, base64. */
  otp_secret?: string
  /** When the person of a finished session proved their second factor again, for what shows secrets. */
  mfa_verified_at?: string
  /** What an authenticator was asked in this session, until it answers. */
  passkey?: PasskeyCeremony
}

/** A question to the authenticator of a passkey, and what its answer must match. */
export interface PasskeyCeremony {
  /** An answer counts for what was asked: a new passkey, a sign-in alone, the second factor of one, or the second factor once more. */
  purpose: 'add' | 'sign_in' | 'second_factor' | 'verify'
  /** Random, base64url. */
  challenge: string
  rp_id: string
  origin: string
  /** ISO 8601. */
  expires: string
  /** What the new passkey's authenticator knows the person by, base64url. */
  user_handle?: string
}

/** What the answer of an OpenID provider must match. */
export interface OpenidStart {
  /** Half of PKCE that only this server knows. */
  verifier: string
  state?: string
  nonce?: string
  next: string
}

/** A first factor that was right. */
export interface ProvenSignIn {
  user_id: string
  username: string
  name: string
  /** Of the password and key at that time: when they change, the proof is void. */
  stamp: string
  /** For the login log. */
  backend: string
  mfa: boolean
  /** When it was proven, where that counts for what shows secrets. ISO 8601. */
  mfa_at?: string
  /** The ticket by which others are to confirm the sign-in. */
  ticket?: string | null
  /** The address from which they confirmed it. */
  confirmed?: string
  /** Whether the browser stays signed in when it closes. */
  remember?: boolean
  next?: string
  /** Becomes the finished session's. */
  openid_token?: string
}

export const authenticationBearerToken = pgTable('authentication_bearer_token', {
  id: id(),
  token_hash: hash('token_hash').notNull(),
  token_sealed: sealed('token_sealed').notNull(),
  user_id: uuid('user_id').notNull(),
  remote_addr: text('remote_addr').notNull(),
  date_expired: dateTime('date_expired').notNull(),
})

export const authenticationAccessKey = pgTable('authentication_access_key', {
  id: uuid('id').primaryKey().defaultRandom(),
  user_id: uuid('user_id').notNull(),
  secret_sealed: sealed('secret_sealed').notNull(),
  is_active: boolean('is_active').notNull().default(true),
  date_created: dateCreated(),
  /** Addresses, networks and ranges that it may be used from; `*` is everywhere. */
  ip_group: text('ip_group').array().notNull().default(['*']),
  date_last_used: dateTime('date_last_used'),
})

export const authenticationUsedSignature = pgTable('authentication_used_signature', {
  signature_hash: sealed('signature_hash').primaryKey(),
  remote_addr: text('remote_addr').notNull(),
  date_first: dateTime('date_first').notNull().defaultNow(),
  date_expired: dateTime('date_expired').notNull(),
})

export const authenticationPrivateToken = pgTable('authentication_private_token', {
  key_hash: hash('key_hash').primaryKey(),
  user_id: uuid('user_id').notNull(),
  created: dateTime('created').notNull().defaultNow(),
})

export const authenticationResetToken = pgTable('authentication_reset_token', {
  token_hash: hash('token_hash').primaryKey(),
  user_id: uuid('user_id').notNull(),
  date_expired: dateTime('date_expired').notNull(),
})

export const authenticationFailure = pgTable(
  'authentication_failure',
  {
    kind: text('kind').notNull(),
    username: text('username').notNull(),
    remote_addr: text('remote_addr').notNull(),
    failures: integer('failures').notNull(),
    date_expired: dateTime('date_expired').notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.username, table.remote_addr] })],
)
