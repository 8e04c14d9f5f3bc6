import type { Database } from '../../kernel/database/database.ts'
import { isInIpGroup } from '../acls/index.ts'
import type { SettingsStore } from '../settings/index.ts'
import { countTry, forgetTries, highestCount, highestCounts, namesAtLimit, sumOfCounts } from './tries.ts'

/**
 * Failed sign-ins are counted by name and address, and by address alone
 * (docs/rules/authentication.md#locks_and_counters). Reaching the limit by name locks the name
 * from everywhere; counting goes on while it is locked.
 */
const BY_NAME = 'login'
const BY_ADDRESS = 'ip'
const BY_CODE = 'mfa'
const BY_NAME_ALONE = 'mfa_name'

export type Lock = { kind: 'block_login' | 'block_global_ip_login'; minutes: number }

/**
 * The lock on this name or address, if there is one. Addresses on the white list are never locked,
 * those on the black list always.
 */
export async function findLock(
  db: Database,
  settings: SettingsStore,
  username: string,
  address: string,
): Promise<Lock | undefined> {
  return (await failuresSoFar(db, settings, username, address)).lock
}

/** Like that, and whether anything is counted that a success forgets. */
export async function failuresSoFar(
  db: Database,
  settings: SettingsStore,
  username: string,
  address: string,
): Promise<{ lock: Lock | undefined; any: boolean }> {
  const isSpared = isInIpGroup(address, settings.get('SECURITY_LOGIN_IP_WHITE_LIST'))
  const isBarred = !isSpared && isInIpGroup(address, settings.get('SECURITY_LOGIN_IP_BLACK_LIST'))
  const { first: ofAddress, second: ofName } = await highestCounts(
    db,
    { kind: BY_ADDRESS, remote_addr: address },
    { kind: BY_NAME, username },
  )
  const any = ofAddress > 0 || ofName > 0
  if (isBarred || (!isSpared && ofAddress >= settings.get('SECURITY_LOGIN_IP_LIMIT_COUNT')))
    return { lock: { kind: 'block_global_ip_login', minutes: settings.get('SECURITY_LOGIN_IP_LIMIT_TIME') }, any }
  if (ofName >= settings.get('SECURITY_LOGIN_LIMIT_COUNT'))
    return { lock: { kind: 'block_login', minutes: settings.get('SECURITY_LOGIN_LIMIT_TIME') }, any }
  return { lock: undefined, any }
}

/** How often this name failed from this address since its last success there. */
export async function failuresOf(db: Database, username: string, address: string): Promise<number> {
  return highestCount(db, { kind: BY_NAME, username, remote_addr: address })
}

/**
 * Counts a failure. Answers how many attempts the name has left from this address; a negative
 * number means that others were counted meanwhile and this one is beyond the limit.
 */
export async function countFailure(
  db: Database,
  settings: SettingsStore,
  username: string,
  address: string,
): Promise<number> {
  const failures = await addFailure(db, BY_NAME, username, address, settings.get('SECURITY_LOGIN_LIMIT_TIME'))
  await addFailure(db, BY_ADDRESS, '', address, settings.get('SECURITY_LOGIN_IP_LIMIT_TIME'))
  return settings.get('SECURITY_LOGIN_LIMIT_COUNT') - failures
}

const addFailure = (db: Database, kind: string, username: string, remote_addr: string, minutes: number) =>
  countTry(db, { kind, username, remote_addr }, { minutes, since: 'last' })

/** Counts a failure of this address alone. */
export async function countFailedAddress(db: Database, settings: SettingsStore, address: string): Promise<void> {
  await addFailure(db, BY_ADDRESS, '', address, settings.get('SECURITY_LOGIN_IP_LIMIT_TIME'))
}

/** After a success the count of this name and address starts again. */
export async function forgetFailures(db: Database, username: string, address: string): Promise<void> {
  await forgetTries(db, { kind: BY_NAME, username }, { kind: BY_ADDRESS, remote_addr: address })
}

/**
 * Counts an attempt at a second factor and returns how many are left after it; if negative, the
 * code must not be checked. All addresses count together: a person who tries codes knows the
 * password already, and must not get more attempts by changing addresses.
 */
export async function countMfaTry(
  db: Database,
  settings: SettingsStore,
  username: string,
  address: string,
): Promise<number> {
  await addFailure(db, BY_CODE, username, address, settings.get('SECURITY_LOGIN_LIMIT_TIME'))
  return settings.get('SECURITY_LOGIN_LIMIT_COUNT') - (await sumOfCounts(db, { kind: BY_CODE, username }))
}

/**
 * Counts a request for a code in a name that gets none, made by somebody who has proven nothing. It
 * is counted apart from attempts at codes: strangers must not be able to lock a person's second
 * factor by naming them.
 */
export async function countUnknownMfa(
  db: Database,
  settings: SettingsStore,
  username: string,
  address: string,
): Promise<void> {
  await addFailure(db, BY_NAME_ALONE, username, address, settings.get('SECURITY_LOGIN_LIMIT_TIME'))
}

/** Whether the second factor of this name is locked. */
export async function isMfaLocked(db: Database, settings: SettingsStore, username: string): Promise<boolean> {
  const limit = settings.get('SECURITY_LOGIN_LIMIT_COUNT')
  return (
    (await sumOfCounts(db, { kind: BY_CODE, username })) >= limit ||
    (await sumOfCounts(db, { kind: BY_NAME_ALONE, username })) >= limit
  )
}

export const forgetMfaFailures = (db: Database, username: string) => forgetTries(db, { kind: BY_CODE, username })

/** Lifts all locks of a name. */
export const forgetAllFailures = (db: Database, username: string) => forgetTries(db, { username })

/** Which of these names are locked, by wrong passwords from one address or by wrong codes. */
export const lockedNames = (db: Database, usernames: readonly string[], limit: number) =>
  namesAtLimit(db, usernames, { highest: BY_NAME, together: BY_CODE, limit })
