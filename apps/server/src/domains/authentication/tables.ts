import type { TargetFamily } from '@sallyport/contract/target.ts'
import { sql } from 'drizzle-orm'
import { bigint, boolean, customType, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { bytes, dateCreated, dateTime, id, sealed } from '../../kernel/database/columns.ts'
import type { SealedInJson } from '../../kernel/secrets/sealed-json.ts'
import type { MessengerName } from '../notifications/index.ts'

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

/** The stored state of an unfinished sign-in. */
export interface SignInState {
  /** Private key for the password that the page encrypts. */
  transport_key?: SealedInJson
  /** The sum on the sign-in page, until it is answered. */
  captcha?: { key: string; question: string; answer: string }
  /** The first factor that was right; the second is still needed, or was proven. */
  proven?: ProvenSignIn
  /** Sign-ins at providers that are under way. */
  openid?: OpenidStart
  cas?: CasStart
  saml2?: Saml2Start
  /**
   * Why a provider's sign-in was refused, in the person's language, until the sign-in page shows
   * it.
   */
  refusal?: string
  /** The provider where the session began. */
  outside?: OutsideSession
  /** Secret of an authenticator app that is being set up. */
  otp_secret?: SealedInJson
  /** A messenger's QR code that is being scanned, to sign in or, in a finished session, to bind. */
  qr_code?: QrCodeStart
  /**
   * When the person of a finished session proved their password again, for changes to how they sign
   * in.
   */
  password_proven_at?: string
  /**
   * When the person of a finished session proved their second factor again, for calls that show
   * secrets.
   */
  mfa_verified_at?: string
  /** The challenge of a passkey in this session, until it is answered. */
  passkey?: PasskeyCeremony
}

/** A challenge for the authenticator of a passkey, and what its answer must match. */
export interface PasskeyCeremony {
  /**
   * The purpose of the answer: a new passkey, a sign-in by itself, the second factor of a sign-in,
   * or proving the second factor again.
   */
  purpose: 'add' | 'sign_in' | 'second_factor' | 'verify'
  /** Random, base64url. */
  challenge: string
  rp_id: string
  origin: string
  /** ISO 8601. */
  expires: string
  /** The handle of the person in a new passkey's authenticator, base64url. */
  user_handle?: string
}

/** The data that a session which began at a provider keeps for the sign-out, there or here. */
export interface OutsideSession {
  source: 'openid' | 'cas' | 'saml2'
  /** The id of a further provider; missing for that of the settings. */
  provider?: string
  /** Input of the provider's sign-out: the ID token of OpenID, name and index of SAML 2. */
  hint?: SealedInJson
  /** By what the provider names the session when it ends it; hashes, in hex. */
  keys?: string[]
}

/** Every start at a provider has these. */
interface ProviderStart {
  /** The id of a further provider, which alone may answer; missing for that of the settings. */
  provider?: string
  next: string
}

/** The start that the answer of a SAML2 provider must match. */
export interface Saml2Start extends ProviderStart {
  /** ID of our AuthnRequest. */
  request: string
}

/** The start that the answer of a CAS server must match. */
export interface CasStart extends ProviderStart {
  /** Part of the service that the ticket is for. */
  state: string
}

/** The start that the answer after a QR code must match. */
export interface QrCodeStart {
  messenger: MessengerName
  purpose: 'bind' | 'sign_in'
  state: string
  next: string
  /** ISO 8601; the session itself may last longer. */
  ends: string
}

/** The start that the answer of an OpenID provider must match. */
export interface OpenidStart extends ProviderStart {
  /** PKCE's code verifier, which only this server knows. */
  verifier: string
  state?: string
  nonce?: string
}

/** A first factor that was right. */
export interface ProvenSignIn {
  user_id: string
  username: string
  name: string
  /** Derived from password and key at that time: when either changes, the proof is void. */
  stamp: string
  /** For the login log. */
  backend: string
  mfa: boolean
  /** Confirmed in a browser into which a provider had let the person. */
  by_provider?: boolean
  /** When the second factor was proven, where that counts for calls that show secrets. ISO 8601. */
  mfa_at?: string
  /** The ticket by which the sign-in is confirmed. */
  ticket?: string | null
  /** The address for which it was confirmed. */
  confirmed?: string
  /** Whether the browser stays signed in when it is closed. */
  remember?: boolean
  next?: string
}

export const authenticationBearerToken = pgTable('authentication_bearer_token', {
  id: id(),
  token_hash: hash('token_hash').notNull(),
  token_sealed: sealed('token_sealed').notNull(),
  user_id: uuid('user_id').notNull(),
  remote_addr: text('remote_addr').notNull(),
  user_agent: text('user_agent').notNull().default(''),
  date_created: dateCreated(),
  /** To the minute. */
  date_last_seen: dateTime('date_last_seen').notNull().defaultNow(),
  date_expired: dateTime('date_expired').notNull(),
  /** As of the key that it was made with. */
  ip_group: text('ip_group').array().notNull().default(['*']),
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
  /**
   * The entry of the list of sign-ins; none where it was made by a component, or with another key.
   */
  sign_in_id: uuid('sign_in_id'),
})

export const authenticationUsedSignature = pgTable('authentication_used_signature', {
  signature_hash: bytes('signature_hash').primaryKey(),
  remote_addr: text('remote_addr').notNull(),
  date_first: dateTime('date_first').notNull().defaultNow(),
  date_expired: dateTime('date_expired').notNull(),
})

/** How much somebody has used by agents in an hour. */
export const authenticationAgentUse = pgTable('authentication_agent_use', {
  user_id: uuid('user_id').primaryKey(),
  date_begin: dateTime('date_begin').notNull(),
  calls: integer('calls').notNull(),
  rows: integer('rows').notNull(),
  milliseconds: integer('milliseconds').notNull(),
})

export const authenticationPrivateToken = pgTable('authentication_private_token', {
  key_hash: hash('key_hash').primaryKey(),
  /** Id of this very token: one that replaces it has another. */
  id: uuid('id').notNull().default(sql`uuidv7()`),
  user_id: uuid('user_id').notNull(),
  created: dateTime('created').notNull().defaultNow(),
  /** Where and when it was last used, to the minute. */
  remote_addr: text('remote_addr').notNull().default(''),
  user_agent: text('user_agent').notNull().default(''),
  date_last_seen: dateTime('date_last_seen'),
})

/** Open connections that are sign-ins of their own; each has a lease that its node renews. */
export const authenticationOpenConnection = pgTable('authentication_open_connection', {
  id: id(),
  kind: text('kind').$type<'ssh' | 'connection_token' | 'database' | 'desktop'>().notNull().default('ssh'),
  user_id: uuid('user_id').notNull(),
  remote_addr: text('remote_addr').notNull(),
  /** The client's name for itself. */
  user_agent: text('user_agent').notNull(),
  date_created: dateCreated(),
  date_last_seen: dateTime('date_last_seen').notNull().defaultNow(),
  date_expired: dateTime('date_expired').notNull(),
})

/** A sign-in of a client without a browser, which its person is to confirm in one. */
export const authenticationBrowserSignIn = pgTable('authentication_browser_sign_in', {
  id: id(),
  code_hash: hash('code_hash').notNull(),
  /** As the client gave it; whether there is such a person is not asked. */
  username: text('username').notNull(),
  remote_addr: text('remote_addr').notNull(),
  program: text('program').notNull(),
  /** The person's key, where the client has proven it. */
  key_fingerprint: text('key_fingerprint'),
  state: text('state').$type<'open' | 'confirmed' | 'refused' | 'used'>().notNull().default('open'),
  /** The person who answered. */
  user_id: uuid('user_id'),
  mfa: boolean('mfa').notNull().default(false),
  outside: boolean('outside').notNull().default(false),
  /** The login log has the refusal. */
  refusal_logged: boolean('refusal_logged').notNull().default(false),
  date_created: dateCreated(),
  date_expired: dateTime('date_expired').notNull(),
})

/** A confirmation in a browser that holds on for a key of its person at an address. */
export const authenticationBrowserHold = pgTable('authentication_browser_hold', {
  id: id(),
  user_id: uuid('user_id').notNull(),
  /** `SHA256:…` */
  key_fingerprint: text('key_fingerprint').notNull(),
  remote_addr: text('remote_addr').notNull(),
  /** The client's name for itself. */
  program: text('program').notNull(),
  mfa: boolean('mfa').notNull(),
  outside: boolean('outside').notNull(),
  /** Names that the provider has for the browser session; it ends with that session there. */
  outside_keys: text('outside_keys').array().notNull().default([]),
  date_created: dateCreated(),
  date_last_seen: dateTime('date_last_seen'),
  date_expired: dateTime('date_expired').notNull(),
})

export const authenticationResetToken = pgTable('authentication_reset_token', {
  token_hash: hash('token_hash').primaryKey(),
  user_id: uuid('user_id').notNull(),
  /** Made by a sign-in that goes on once the password is changed; not by a link that was sent. */
  is_sign_in: boolean('is_sign_in').notNull().default(false),
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

/**
 * A message between two pages, in English. It names nobody, since anybody with the address may read
 * it.
 */
export interface FlashMessage {
  title: string
  text: string
  values?: Record<string, string>
  seconds?: number
  /** Path of ours to go on to. */
  to: string
  /** Path of ours for those who don't want to go there. */
  cancel?: string
}

export const authenticationFlashMessage = pgTable('authentication_flash_message', {
  code_hash: hash('code_hash').primaryKey(),
  message: jsonb('message').$type<FlashMessage>().notNull(),
  date_expired: dateTime('date_expired').notNull(),
})

/** Which person of a provider is which person here. */
export const authenticationOutsideAccount = pgTable(
  'authentication_outside_account',
  {
    source: text('source').notNull(),
    issuer: text('issuer').notNull(),
    /** Whether `subject` is the provider's own name for a person, or their user name. */
    kind: text('kind').$type<'subject' | 'username'>().notNull().default('subject'),
    subject: text('subject').notNull(),
    user_id: uuid('user_id').notNull(),
    date_created: dateCreated(),
  },
  (table) => [primaryKey({ columns: [table.source, table.issuer, table.kind, table.subject] })],
)

/**
 * Assertions that were accepted, each once, with what the provider told until the browser has
 * fetched it.
 */
export const authenticationSaml2Assertion = pgTable('authentication_saml2_assertion', {
  assertion_hash: hash('assertion_hash').primaryKey(),
  code_hash: hash('code_hash').notNull(),
  proof_sealed: sealed('proof_sealed'),
  date_created: dateCreated(),
  date_expired: dateTime('date_expired').notNull(),
})

export const authenticationPasskey = pgTable('authentication_passkey', {
  id: id(),
  user_id: uuid('user_id').notNull(),
  name: text('name').notNull(),
  credential_id: bytes('credential_id').notNull(),
  user_handle: bytes('user_handle').notNull(),
  rp_id: text('rp_id').notNull(),
  public_key: bytes('public_key').notNull(),
  counter: bigint('counter', { mode: 'number' }).notNull(),
  transports: text('transports').array().notNull().default([]),
  date_created: dateCreated(),
  date_last_used: dateTime('date_last_used'),
})

export type Passkey = typeof authenticationPasskey.$inferSelect

/** Tokens that client programs connect with (docs/rules/authentication.md#connection_token). */
export const authenticationConnectionToken = pgTable('authentication_connection_token', {
  /** SHA-256 of the token, which only its receiver has. */
  token_hash: bytes('token_hash').primaryKey(),
  secret_sealed: sealed('secret_sealed').notNull(),
  type: text('type').$type<TargetFamily>().notNull(),
  target: uuid('target').notNull(),
  /** The person who connects with it. */
  user_id: uuid('user_id').notNull(),
  system_user_id: uuid('system_user_id').notNull(),
  /** Its creator: the same person, or a system administrator. */
  creator_id: uuid('creator_id').notNull(),
  /** Address that it was made for, where that is known: somebody who made it for themselves. */
  remote_addr: text('remote_addr'),
  date_created: dateCreated(),
  date_expired: dateTime('date_expired').notNull(),
  /** When it started its session; components that look it up don't use it up. */
  date_used: dateTime('date_used'),
  /** As of the key that it was made with. */
  ip_group: text('ip_group').array().notNull().default(['*']),
  /** For whom a service identity made it; null for people. */
  on_behalf_of: text('on_behalf_of'),
})

/** Programs that have registered themselves, to be connected by people as their agents. */
export const authenticationAgentProgram = pgTable('authentication_agent_program', {
  id: uuid('id').primaryKey().defaultRandom(),
  name: text('name').notNull(),
  redirect_uris: text('redirect_uris').array().notNull(),
  network: text('network').notNull(),
  date_created: dateCreated(),
  date_expired: dateTime('date_expired').notNull(),
})

/** Those that a person has connected, with their newest tokens. */
export const authenticationAgentGrant = pgTable('authentication_agent_grant', {
  id: id(),
  program: uuid('program').notNull(),
  user_id: uuid('user_id').notNull(),
  org_id: uuid('org_id').notNull(),
  family_hash: hash('family_hash').notNull(),
  access_hash: hash('access_hash').notNull(),
  refresh_hash: hash('refresh_hash').notNull(),
  previous_hash: hash('previous_hash'),
  seed: hash('seed'),
  date_renewed: dateTime('date_renewed'),
  remote_addr: text('remote_addr').notNull(),
  date_created: dateCreated(),
  date_last_seen: dateTime('date_last_seen').notNull().defaultNow(),
  date_access_expired: dateTime('date_access_expired').notNull(),
  date_expired: dateTime('date_expired').notNull(),
})

/** Answers of people to programs, until they come for it. */
export const authenticationAgentCode = pgTable('authentication_agent_code', {
  code_hash: hash('code_hash').primaryKey(),
  program: uuid('program').notNull(),
  user_id: uuid('user_id').notNull(),
  org_id: uuid('org_id').notNull(),
  redirect_uri: text('redirect_uri').notNull(),
  challenge: text('challenge').notNull(),
  grant_id: uuid('grant_id'),
  date_created: dateCreated(),
  date_expired: dateTime('date_expired').notNull(),
})
