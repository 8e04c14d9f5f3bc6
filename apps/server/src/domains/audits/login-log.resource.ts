import { loginLog } from '@sallyport/contract/resources/audits/login-log.ts'
import { sql, type WithSubquery } from 'drizzle-orm'
import ipaddr from 'ipaddr.js'
import { isRoot } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { clientName } from '../../kernel/http/client-name.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { dateRange } from '../../kernel/resource/lists/date-range.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { cityFor, cityOf, LAN, UNKNOWN_CITY } from './city.ts'
import { isOwnRow, orgIdsOf } from './readable-people.ts'
import { auditsLoginLog } from './tables.ts'

/** English text by code. The numeric codes come from installations that were migrated. */
const REASONS: Readonly<Record<string, string>> = {
  password_failed: 'Wrong username or password',
  password_decrypt_failed: 'The password could not be decrypted',
  mfa_failed: 'MFA failed',
  mfa_unset: 'MFA not set up',
  user_not_exist: 'No such user',
  password_expired: 'Password expired',
  user_invalid: 'Account disabled or expired',
  user_inactive: 'This account is disabled',
  user_expired: 'This account has expired',
  directory_off: 'The directory or sign-in provider of this user is switched off',
  backend_not_match: 'No sign-in method fits this user',
  acl_not_allow: 'Login refused by a login rule',
  block_login: 'Username locked after too many failures',
  block_global_ip_login: 'Address blocked',
  browser_refused: 'The person refused it in their browser',
  passkey_failed: 'Passkey refused',
  passkey_cloned: 'Passkey refused: its counter went back, it may have been copied',
  block_mfa: 'MFA locked after too many failures',
  only_local_users_are_allowed: 'Only local users are allowed',
  authkey_invalid: 'SSO key unknown or used before',
  authkey_timeout: 'SSO key expired',
  workload_malformed: 'Workload token unreadable, or signed in no accepted way',
  workload_unknown: 'Workload token of an unknown issuer, audience or identity',
  workload_issuer_down: 'Keys of the issuer could not be fetched',
  workload_signature: 'Workload token with a wrong signature',
  workload_expired: 'Workload token expired',
  workload_claims: 'Workload token does not fit any trust rule',
  workload_used: 'Workload token used before',
  connection_token_invalid: 'Connection token unknown or expired',
  0: '-',
  1: 'Wrong username or password',
  2: 'MFA failed',
  3: 'No such user',
  4: 'Password expired',
}

export default function mountLoginLog(kernel: Kernel): void {
  mountResource(kernel, loginLog, {
    table: auditsLoginLog,
    // Failed sign-ins of unknown names appear in root alone.
    scope: ({ call }) => (isRoot(call) ? undefined : isOwnRow(call, auditsLoginLog)),
    filters: dateRange(auditsLoginLog.datetime),
    present: (row, { ip, city }, { call }) =>
      row.city === undefined || city === null ? row : { ...row, city: cityFor(ip, city, call.language) },
    computed: [
      {
        fields: ['browser', 'system'],
        load: async (rows) => rows.map(({ user_agent }) => clientName(user_agent ?? '')),
      },
      {
        fields: ['reason_display', 'backend_display'],
        load: async (rows, { call: { language } }) =>
          rows.map(({ reason, backend }) => ({
            reason_display: translate(language, REASONS[reason] ?? reason),
            backend_display: translate(language, backend),
          })),
      },
    ],
  })
}

export interface LoginAttempt {
  /** As typed, whether or not such a user exists. */
  username: string
  /** `W` web, `T` terminal, `U` unknown; from an explicit value or the header X-JMS-LOGIN-TYPE. */
  type: 'W' | 'T' | 'U'
  ip: string
  userAgent: string | undefined
  /** Whether the person's second factor was on; unknown on failure. */
  mfa?: boolean
  /** A code of `REASONS`; empty on success. */
  reason?: string
  /** In English: Password, SSH Key, SSO, … */
  backend?: string
  success: boolean
  /** When it was; now when absent. */
  at?: Date
  /** The city, for addresses that no file of cities knows. */
  city?: string
  /** Id of the row; a new one when absent. */
  id?: string
  /** For whom a service identity signs in; its owner when absent. */
  onBehalfOf?: string
}

/**
 * Records a sign-in, successful or not. Pass the transaction that opens the session as `db`, or a
 * change that is made by the same statement. Answers the row's id, by which the sign-in that follows
 * is known.
 */
export async function recordLogin(db: Database, attempt: LoginAttempt, change?: WithSubquery): Promise<string> {
  const into = change ? db.with(change) : db
  const [row] = await into.insert(auditsLoginLog).values(rowOf(attempt)).returning({ id: auditsLoginLog.id })
  if (!row) throw new Error('the sign-in was not recorded')
  return row.id
}

/** Records several sign-ins at once. */
export async function recordLogins(db: Database, attempts: readonly LoginAttempt[]): Promise<void> {
  if (attempts.length) await db.insert(auditsLoginLog).values(attempts.map(rowOf))
}

function rowOf(attempt: LoginAttempt) {
  const { username, type, ip, userAgent, mfa, reason = '', backend = '', success, at, city, id, onBehalfOf } = attempt
  const name = withoutNul(username).slice(0, 128)
  const person = sql<string>`(SELECT u.id FROM users_account u WHERE u.username = ${name} AND u.role <> 'App')`
  return {
    ...(id ? { id } : {}),
    username: name,
    user_id: person,
    org_ids: orgIdsOf(person),
    type,
    ...placeOf(ip),
    ...(city ? { city } : {}),
    user_agent: userAgent === undefined ? null : withoutNul(userAgent).slice(0, 254),
    mfa: mfa === undefined ? 2 : Number(mfa),
    reason: reason.slice(0, 128),
    backend: backend.slice(0, 32),
    status: success,
    on_behalf_of:
      onBehalfOf?.slice(0, 300) ?? sql<string>`(SELECT u.on_behalf_of FROM users_account u WHERE u.username = ${name})`,
    ...(at ? { datetime: at } : {}),
  }
}

const withoutNul = (text: string) => text.replaceAll('\0', '')

/** An invalid address is cut to 15 characters. */
function placeOf(ip: string): { ip: string; city: string } {
  return { ip: ipaddr.isValid(ip) ? ip : withoutNul(ip).slice(0, 15), city: cityOf(ip) }
}

/**
 * Where somebody last signed in from, among places that are known by name; undefined when there is
 * none.
 */
export async function lastKnownPlace(
  db: Database,
  username: string,
): Promise<{ ip: string; city: string } | undefined> {
  const { rows } = await db.execute<{ ip: string; city: string }>(sql`
    SELECT ip, city FROM audits_login_log
    WHERE username = ${username} AND status AND city IS NOT NULL AND city NOT IN (${LAN}, ${UNKNOWN_CITY})
    ORDER BY datetime DESC LIMIT 1`)
  return rows[0]
}
