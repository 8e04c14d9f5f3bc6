import type { SystemRole } from '@sallyport/contract/access.ts'
import { WIRE } from '@sallyport/contract/constants.ts'
import type { FastifyRequest } from 'fastify'
import type { Database } from '../../../kernel/database/database.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { oneAtATime } from '../../../kernel/one-at-a-time.ts'
import { judgeLogin, type LoginRuling } from '../../acls/index.ts'
import { recordLogin } from '../../audits/index.ts'
import type { Messenger } from '../../notifications/index.ts'
import { type SettingsStore, settingsOf } from '../../settings/index.ts'
import { isDirectoryOff } from '../../users/directories/index.ts'
import { findUser, languageOfUser, signInNoted, type User } from '../../users/index.ts'
import { isPasswordOf } from '../../users/password/index.ts'
import { isMfaDue, isPublicKeyOf } from '../../users/profile/index.ts'
import { type MfaType, mfaChoices } from '../factors/index.ts'
import { countFailure, failuresSoFar, findLock, forgetFailures } from '../failures.ts'
import { askTheRest, proveOutside } from '../outside-password/prove-outside.ts'
import { createResetToken } from '../password-reset/reset-token.ts'
import type { ProvenSignIn } from '../tables.ts'
import { notifyOfOtherCity } from './other-city.ts'
import { isCertificate, isCertificateOf } from './person-certificate.ts'

/** The client of a person who has not signed in yet. */
export interface SignInClient {
  language: Language
  /** The browser or client they came with, for the login log. */
  userAgent: string | undefined
}

export function signInClientOf({ call, headers }: Pick<FastifyRequest, 'call' | 'headers'>): SignInClient {
  return { language: call.language, userAgent: headers['user-agent'] }
}

export interface SignInAttempt {
  username: string
  /** Undefined when a key is proven instead; null when it could not be decrypted. */
  password?: string | null
  /** Body of an SSH public key; the caller has seen its private half proven. */
  publicKey?: string
  address: string
  type: 'W' | 'T' | 'U'
}

export interface SignedIn {
  id: string
  name: string
  username: string
  role: SystemRole
  /** Their own, else the installation's. */
  language: Language
  /** Id of its row in the sign-in log, and of all credentials that it gives the person. */
  signInId: string
}

export type SignInAnswer =
  | { user: SignedIn }
  /** The first factor is right, and more is needed. */
  | { proven: ProvenSignIn; due: Due }
  /**
   * `error` is one of docs/rules/authentication.md#failure_reasons; `url` is where to go on
   * for a forced password change.
   */
  | { error: string; message: string; url?: string }

/**
 * The step that is left before somebody is signed in: a second factor, one of `choices` (empty when
 * the person has set up none), or a reviewer's confirmation.
 */
export type Due = { step: 'mfa'; choices: MfaType[] } | { step: 'confirm'; reviewers: string[] }

const PASSWORD_CHANGE_SECONDS = 3600
const DAY_MS = 86_400_000

/**
 * Checks name and password (or key) against locks, account state, login rules and forced password
 * changes; writes the login log either way. Signs nobody in: the caller makes a session or a token
 * of the answer.
 */
export function checkSignIn(kernel: Kernel, signInClient: SignInClient, attempt: SignInAttempt): Promise<SignInAnswer> {
  return oneAtATime(`${attempt.username}\n${attempt.address}`, () => check(kernel, signInClient, attempt))
}

async function check(kernel: Kernel, signInClient: SignInClient, attempt: SignInAttempt): Promise<SignInAnswer> {
  const { db } = kernel
  const settings = settingsOf(kernel)
  const { username, address, publicKey, type } = attempt
  const logged: LoggedSignIn = { username, address, type, backend: backendOf(publicKey) }
  const refuse: Refuse = (error, text, values) => refuseSignIn(kernel, signInClient, logged, error, text, values)
  const count = () => countFailure(db, settings, username, address)

  const lock = await findLock(db, settings, username, address)
  if (lock) {
    await count()
    return refuse(lock.kind, LOCK_TEXT[lock.kind], { minutes: lock.minutes })
  }
  const named = await findUser(db, { username })
  const external = publicKey ? undefined : await proveOutside(kernel, attempt, named)
  if (external && 'error' in external) return refuse(external.error, external.text, external.values)
  if (external) logged.backend = external.backend
  // Whom a source has proven it may have made just now, or brought up to date.
  const user = external ? await findUser(db, { username: external.username }) : named
  // Components prove themselves with their access key alone.
  const person = user && user.role !== 'App' ? user : undefined
  const isRight = external !== undefined || (await isProven(kernel, person, attempt))
  if (!person || !isRight) {
    if (!publicKey) await askTheRest(kernel, username, named)
    return refuseProof(kernel, signInClient, attempt, logged, user)
  }
  // Tries on other nodes were counted while this one was looked at: a right password that comes
  // after too many wrong ones is refused, however many were sent at once.
  const failures = await failuresSoFar(db, settings, username, address)
  const late = failures.lock
  if (late) return refuse(late.kind, LOCK_TEXT[late.kind], { minutes: late.minutes })
  logged.username = person.username
  const state = await stateRefusal(db, person)
  if (state) {
    await count()
    return refuse(state, STATE_TEXT[state])
  }
  const ruling = await judgeLogin(db, { userId: person.id, address, now: new Date() })
  if (ruling.refusal) {
    await count()
    return refuse('acl_not_allow', RULE_TEXT[ruling.refusal])
  }
  const change = publicKey || external ? undefined : passwordChangeDue(person, attempt, settings)
  if (change) {
    const token = await createResetToken(db, person.id, PASSWORD_CHANGE_SECONDS, true)
    const message = translate(signInClient.language, change.message)
    return { ...change, message, url: `/core/auth/password/reset/?token=${token}` }
  }
  if (failures.any) await forgetFailures(db, username, address)
  const proven: ProvenSignIn = {
    user_id: person.id,
    username: person.username,
    name: person.name,
    stamp: stampOf(person),
    backend: logged.backend,
    mfa: false,
  }
  const due = await dueOf(kernel, proven, address, { person, ruling })
  return due ? { proven, due } : finishSignIn(kernel, signInClient, attempt, proven, ruling)
}

const backendOf = (publicKey: string | undefined): string =>
  publicKey ? (isCertificate(publicKey) ? 'SSH Certificate' : 'SSH Key') : 'Password'

/** Whether the key or password is that person's; takes as long where there is no such person. */
async function isProven(
  kernel: Kernel,
  person: User | undefined,
  { publicKey, password, username, address }: SignInAttempt,
): Promise<boolean> {
  if (publicKey) return person !== undefined && isTakenKey(kernel, person, publicKey, address)
  return isPasswordOf(kernel, person?.source === 'local' ? person : undefined, {
    password: password ?? '',
    username,
    address,
  })
}

/** Counts a wrong proof and refuses it, in the same words whether the name exists or not. */
async function refuseProof(
  kernel: Kernel,
  signInClient: SignInClient,
  { username, address, password }: SignInAttempt,
  logged: LoggedSignIn,
  user: User | undefined,
): Promise<SignInRefusal> {
  const settings = settingsOf(kernel)
  const left = await countFailure(kernel.db, settings, username, address)
  const minutes = settings.get('SECURITY_LOGIN_LIMIT_TIME')
  if (left < 0) return refuseSignIn(kernel, signInClient, logged, 'block_login', LOCK_TEXT.block_login, { minutes })
  const [error, wrong] = password === null ? ['password_decrypt_failed', UNREADABLE] : ['password_failed', WRONG]
  const text = left > 0 ? wrong : LOCK_TEXT.block_login
  // People of a directory that is off get the answer to every wrong password, since nobody is asked.
  const reason = !user ? 'user_not_exist' : (await isDirectoryOff(kernel.db, user)) ? 'directory_off' : error
  return refuseSignIn(kernel, signInClient, { ...logged, reason }, error, text, { left, minutes })
}

/** The entry of an attempt in the login log. */
interface LoggedSignIn extends Pick<SignInAttempt, 'username' | 'address' | 'type'> {
  backend: string
  /** The reason where it differs from the person's answer. */
  reason?: string
}

interface SignInRefusal {
  error: string
  message: string
}

type Refuse = (error: string, text: string, values?: Record<string, unknown>) => Promise<SignInRefusal>

/** Logs a refused attempt, and says why in the person's language. */
async function refuseSignIn(
  { db }: Kernel,
  { language, userAgent }: SignInClient,
  { username, address: ip, type, backend, reason }: LoggedSignIn,
  ...[error, text, values]: Parameters<Refuse>
): Promise<SignInRefusal> {
  await recordLogin(db, { username, type, ip, userAgent, success: false, reason: reason ?? error, backend })
  return { error, message: translate(language, text, values) }
}

/**
 * Continues the sign-in of somebody whom a provider proved on its own page, or a passkey: checks
 * address, account and login rules, and writes the login log when they refuse. Wrong passwords
 * typed for the name do not lock the person out here, as no password is involved.
 */
export function admitProven(
  kernel: Kernel,
  signInClient: SignInClient,
  attempt: Pick<SignInAttempt, 'address' | 'type'>,
  userId: string,
  backend: ThirdParty | Messenger['title'] | typeof PASSKEY_BACKEND,
): Promise<SignInAnswer> {
  return admit(kernel, signInClient, attempt, userId, { backend, mfa: backend === PASSKEY_BACKEND })
}

/** Continues, in the same way, the sign-in that its person has confirmed in a browser. */
export function admitConfirmed(
  kernel: Kernel,
  signInClient: SignInClient,
  attempt: Pick<SignInAttempt, 'address' | 'type'>,
  { userId, mfa, outside }: { userId: string; mfa: boolean; outside: boolean },
): Promise<SignInAnswer> {
  return admit(kernel, signInClient, attempt, userId, { backend: BROWSER_BACKEND, mfa, by_provider: outside })
}

/** The same by a confirmation that holds for the person's key at this address. */
export function admitHeld(
  kernel: Kernel,
  signInClient: SignInClient,
  attempt: Pick<SignInAttempt, 'address' | 'type'>,
  { userId, mfa, outside }: { userId: string; mfa: boolean; outside: boolean },
): Promise<SignInAnswer> {
  return admit(kernel, signInClient, attempt, userId, { backend: HOLD_BACKEND, mfa, by_provider: outside })
}

async function admit(
  kernel: Kernel,
  signInClient: SignInClient,
  attempt: Pick<SignInAttempt, 'address' | 'type'>,
  userId: string,
  proof: Pick<ProvenSignIn, 'backend' | 'mfa' | 'by_provider'>,
): Promise<SignInAnswer> {
  const { db } = kernel
  const { address, type } = attempt
  const person = await findUser(db, { id: userId })
  if (!person) return { error: 'user_not_exist', message: translate(signInClient.language, STATE_TEXT.user_inactive) }
  const logged: LoggedSignIn = { username: person.username, address, type, backend: proof.backend }
  const refuse: Refuse = (error, text, values) => refuseSignIn(kernel, signInClient, logged, error, text, values)
  // With an empty name, the lock of the address alone.
  const lock = await findLock(db, settingsOf(kernel), '', address)
  if (lock) return refuse(lock.kind, LOCK_TEXT[lock.kind], { minutes: lock.minutes })
  const refusal = await stateRefusal(db, person)
  if (refusal) return refuse(refusal, STATE_TEXT[refusal])
  const ruling = await judgeLogin(db, { userId, address, now: new Date() })
  if (ruling.refusal) return refuse('acl_not_allow', RULE_TEXT[ruling.refusal])
  const { username, name } = person
  const proven: ProvenSignIn = { user_id: userId, username, name, stamp: stampOf(person), ...proof }
  const due = await dueOf(kernel, proven, address, { person, ruling })
  return due ? { proven, due } : finishSignIn(kernel, signInClient, attempt, proven, ruling)
}

/** A passkey whose authenticator verified the person: both factors in one. */
export const PASSKEY_BACKEND = 'Passkey'

/** A browser in which the person was signed in, and confirmed the sign-in of another client. */
export const BROWSER_BACKEND = 'Browser'
/** A key at an address for which such a confirmation holds on. */
const HOLD_BACKEND = 'Browser, held'

export const REFUSED_IN_BROWSER = { error: 'browser_refused', text: 'This sign-in was refused in the browser' } as const

/** Refuses, and logs, a sign-in of which its person says that it is not theirs. */
export function refuseInBrowser(
  kernel: Kernel,
  signInClient: SignInClient,
  attempt: Pick<SignInAttempt, 'username' | 'address'>,
): Promise<SignInRefusal> {
  const logged: LoggedSignIn = { ...attempt, type: 'T', backend: BROWSER_BACKEND }
  return refuseSignIn(kernel, signInClient, logged, REFUSED_IN_BROWSER.error, REFUSED_IN_BROWSER.text)
}

/**
 * Providers that prove people on pages of their own, as the login log names them. A person who
 * scans a QR code is always asked for a second factor.
 */
const THIRD_PARTIES = ['OpenID', 'CAS', 'SAML2'] as const
export type ThirdParty = (typeof THIRD_PARTIES)[number]
const isThirdParty = (backend: string) => (THIRD_PARTIES as readonly string[]).includes(backend)

async function stateRefusal(db: Database, person: User): Promise<keyof typeof STATE_TEXT | undefined> {
  if (!person.is_active) return 'user_inactive'
  if (person.date_expired && person.date_expired <= new Date()) return 'user_expired'
  return (await isDirectoryOff(db, person)) ? 'directory_off' : undefined
}

const STATE_TEXT = {
  user_inactive: 'This account is disabled',
  user_expired: 'This account has expired',
  directory_off: 'The directory or sign-in provider that you come from is switched off here. Ask an administrator.',
}

const WRONG =
  'The username or password you entered is incorrect. {{left|try is|tries are}} left, then the account is locked for {{minutes|minute|minutes}}.'
const UNREADABLE =
  'Your password could not be decrypted: reload the page and try again. {{left|try is|tries are}} left.'

const LOCK_TEXT = {
  block_login:
    'The account has been locked, please contact an administrator or try again after {{minutes|minute|minutes}}',
  block_global_ip_login: 'Your address is locked, please try again after {{minutes|minute|minutes}}',
}

const RULE_TEXT = {
  ip: 'A login rule does not allow you to sign in from this address',
  time: 'A login rule does not allow you to sign in at this time',
}

/**
 * The next step of a sign-in from that address; undefined when nothing more is needed. `known`: what
 * the caller has just read.
 */
export async function dueOf(
  kernel: Kernel,
  proven: ProvenSignIn,
  address: string,
  known: { person?: User; ruling?: LoginRuling } = {},
): Promise<Due | undefined> {
  const { user_id, backend, mfa, by_provider, confirmed } = proven
  const isSpared =
    (by_provider || isThirdParty(backend)) && !settingsOf(kernel).get('SECURITY_MFA_AUTH_ENABLED_FOR_THIRD_PARTY')
  if (!mfa && !isSpared) {
    const person = known.person ?? (await findUser(kernel.db, { id: user_id }))
    if (person && (await isMfaDue(kernel, person))) return { step: 'mfa', choices: await mfaChoices(kernel, person.id) }
  }
  // A confirmation is valid for the address that it was asked for.
  if (confirmed === address) return undefined
  const { reviewers } = known.ruling ?? (await judgeLogin(kernel.db, { userId: user_id, address, now: new Date() }))
  return reviewers.length ? { step: 'confirm', reviewers } : undefined
}

/**
 * Ends a sign-in whose factors are proven: checks again that the person may sign in, and that the
 * password or key that they proved is still theirs; stores the sign-in and writes the login log.
 * Refuses when a second factor or a confirmation is missing, or a rule forbids it, whatever the
 * caller believes. `justRuled`: what the login rules have just said.
 */
export async function finishSignIn(
  kernel: Kernel,
  signInClient: SignInClient,
  { address, type }: Pick<SignInAttempt, 'address' | 'type'>,
  proven: ProvenSignIn,
  justRuled?: LoginRuling,
): Promise<{ user: SignedIn } | { error: string; message: string }> {
  const { db } = kernel
  const { language, userAgent } = signInClient
  const { user_id, stamp, backend, mfa } = proven
  const person = await findUser(db, { id: user_id })
  const ruling = justRuled ?? (await judgeLogin(db, { userId: user_id, address, now: new Date() }))
  const holds = person && stampOf(person) === stamp && !(await stateRefusal(db, person))
  if (!person || !holds || (await dueOf(kernel, proven, address, { person, ruling })))
    return { error: 'session_empty', message: translate(language, 'The sign-in took too long, please start again') }
  const { id, name, username } = person
  if (ruling.refusal) {
    const logged = { username, address, type, backend }
    return refuseSignIn(kernel, signInClient, logged, 'acl_not_allow', RULE_TEXT[ruling.refusal])
  }
  await notifyOfOtherCity(kernel, person, address)
  // Nobody is signed in without a line in the log: whatever begins with the answer comes after it.
  const login = { username, type, ip: address, userAgent, mfa, success: true, backend }
  const signInId = await recordLogin(db, login, signInNoted(db, id))
  const spoken = languageOfUser(kernel, person.language)
  return { user: { id, name, username, role: person.role as SystemRole, language: spoken, signInId } }
}

const stampOf = (user: User) => `${user.date_password_last_updated?.getTime() ?? 0} ${user.public_key_hash_md5}`

function passwordChangeDue(
  user: User,
  { password }: SignInAttempt,
  settings: SettingsStore,
): { error: string; message: string } | undefined {
  if (user.role === 'Admin' && password === 'admin')
    return {
      error: 'passwd_too_simple',
      message: 'Your password is too simple, please set a new one before signing in',
    }
  if (user.need_update_password)
    return { error: 'passwd_need_update', message: 'You must change your password before signing in' }
  const changed = user.date_password_last_updated?.getTime() ?? user.date_joined.getTime()
  if (user.source === 'local' && Date.now() - changed >= settings.get('SECURITY_PASSWORD_EXPIRATION_TIME') * DAY_MS)
    return { error: 'passwd_has_expired', message: 'Your password has expired, please set a new one before signing in' }
  return undefined
}

/** The login log's type of an API sign-in (docs/rules/authentication.md#credentials). */
export function loginTypeOf(request: FastifyRequest): 'W' | 'T' | 'U' {
  const type = String(request.headers[WIRE.loginTypeHeader.toLowerCase()] ?? 'U')
  return type === 'W' || type === 'T' ? type : 'U'
}

/**
 * Whether a client should go on to prove this key for that name. Nothing is counted, logged or
 * granted, and unknown people get the same answer as unknown keys. `publicKey` is the key's wire
 * form in base64.
 */
export async function isKeyWorthProving(
  kernel: Kernel,
  username: string,
  publicKey: string,
  address: string,
): Promise<boolean> {
  const user = await findUser(kernel.db, { username })
  return user !== undefined && user.role !== 'App' && isTakenKey(kernel, user, publicKey, address)
}

/**
 * Whether this person may sign in with that key; people of an outside source only where that source
 * need not approve each sign-in.
 */
function isTakenKey(kernel: Kernel, user: User, publicKey: string, address: string): boolean {
  const settings = settingsOf(kernel)
  if (!settings.get('TERMINAL_PUBLIC_KEY_AUTH')) return false
  if (user.source !== 'local' && settings.get('ONLY_ALLOW_AUTH_FROM_SOURCE')) return false
  if (!isCertificate(publicKey)) return isPublicKeyOf(kernel, user, publicKey)
  const trust = {
    TERMINAL_USER_AUTHORITIES: settings.get('TERMINAL_USER_AUTHORITIES'),
    TERMINAL_REVOKED_CERTIFICATES: settings.get('TERMINAL_REVOKED_CERTIFICATES'),
  }
  return isCertificateOf(publicKey, { username: user.username, address }, trust)
}
