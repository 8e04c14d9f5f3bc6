import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '../../../kernel/database/database.ts'
import { kernelSecretVersion, type SecretOwnerKind } from '../../../kernel/secrets/tables.ts'
import type { Opener } from '../../../kernel/secrets/vault.ts'
import { candidateOf, type SecretRow } from '../../../kernel/secrets/versions.ts'

/** What a login is proven with; empty text where there is none. Kept in memory only. */
export interface Credentials {
  username: string
  password: string
  privateKey: string
  /** Of system users of clusters. */
  token?: string
  /**
   * The secrets with which they are being replaced on the target, where the old ones may have ceased
   * to work already.
   */
  candidate?: Pick<Credentials, 'password' | 'privateKey'>
}

/** Login secrets as a row keeps them. */
export interface SealedLogin {
  password_sealed: Buffer | null
  private_key_sealed: Buffer | null
}

/** Accounts of one family of targets: rows with `systemuser`, `username` and sealed secrets. */
export interface AccountTable {
  kind: SecretOwnerKind
  table: PgTable
  /** Its column with the id of the asset or application. */
  target: PgColumn
}

interface AccountQuestion {
  targetId: string
  systemUserId: string
  username: string
}

const ofTarget = ({ target }: AccountTable, { targetId, systemUserId, username }: AccountQuestion): SQL =>
  sql`${target} = ${targetId} AND (systemuser = ${systemUserId} OR systemuser IS NULL AND username = ${username} AND username <> '')`

/**
 * The account whose secrets are used on a target instead of the system user's own: the newest of
 * that user name without a system user, else the newest that is linked to this one
 * (docs/rules/accounts.md#asset_account). Accounts without secrets inherit and are
 * passed over; undefined where there is no other. It is the same for every family.
 */
export async function chosenAccount(
  db: Database,
  accounts: AccountTable,
  question: AccountQuestion,
): Promise<SealedLogin | undefined> {
  const { rows } = await db.execute<SealedLogin & Record<string, unknown>>(sql`
    SELECT password_sealed, private_key_sealed FROM ${accounts.table}
    WHERE ${ofTarget(accounts, question)} AND num_nonnulls(password_sealed, private_key_sealed) > 0
    ORDER BY systemuser IS NOT NULL, date_updated DESC LIMIT 1`)
  return rows[0]
}

/** The secrets that such an account is about to get on the target; undefined while nobody changes them. */
export async function chosenCandidate(
  db: Database,
  accounts: AccountTable,
  question: AccountQuestion,
): Promise<SealedLogin | undefined> {
  const { rows } = await db.execute<SealedLogin & Record<string, unknown>>(sql`
    SELECT v.password_sealed, v.private_key_sealed FROM ${kernelSecretVersion} v
    JOIN (SELECT id, systemuser FROM ${accounts.table} WHERE ${ofTarget(accounts, question)}) account ON account.id = v.owner_id
    WHERE v.owner_kind = ${accounts.kind} AND v.state = 'candidate' ORDER BY account.systemuser IS NOT NULL LIMIT 1`)
  return rows[0]
}

/** The secrets that a row is about to get, in clear; undefined while nobody changes them. */
export async function candidateLogin(
  db: Database,
  row: SecretRow,
  open: Opener,
): Promise<Omit<Credentials, 'username'> | undefined> {
  const candidate = await candidateOf(db, row)
  return candidate && openLogin(candidate, open)
}

/** What a login becomes by a candidate: secrets that it has not stay. */
export function withCandidate<T extends Pick<Credentials, 'password' | 'privateKey'>>(
  login: T,
  candidate: Pick<Credentials, 'password' | 'privateKey'> | undefined,
): T & Pick<Credentials, 'candidate'> {
  if (!candidate) return login
  const { password, privateKey } = candidate
  return { ...login, candidate: { password: password || login.password, privateKey: privateKey || login.privateKey } }
}

/** Opens the secrets of a login. */
export function openLogin(sealed: SealedLogin, open: Opener): Omit<Credentials, 'username'> {
  return {
    password: sealed.password_sealed ? open(sealed.password_sealed) : '',
    privateKey: sealed.private_key_sealed ? open(sealed.private_key_sealed) : '',
  }
}
