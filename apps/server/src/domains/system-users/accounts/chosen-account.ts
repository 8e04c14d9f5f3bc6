import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '../../../kernel/database/database.ts'
import { PREPARED } from '../../../kernel/database/preparing-client.ts'
import { type Credentials, openLogin, type SealedLogin } from '../../../kernel/secrets/login.ts'
import { kernelSecretVersion, type SecretOwnerKind } from '../../../kernel/secrets/tables.ts'
import type { Opener } from '../../../kernel/secrets/vault.ts'
import { candidateOf, type SecretRow } from '../../../kernel/secrets/versions.ts'
import type { HeldLogin } from '../held-login.ts'

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

const chosen = (accounts: AccountTable, question: AccountQuestion): SQL =>
  sql`WHERE ${ofTarget(accounts, question)} AND num_nonnulls(password_sealed, private_key_sealed, secret_source) > 0
    ORDER BY systemuser IS NOT NULL, date_updated DESC LIMIT 1`

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
): Promise<HeldLogin | undefined> {
  const { rows } = await db.execute<HeldLogin & Record<string, unknown>>(sql`
    SELECT password_sealed, private_key_sealed, secret_source, secret_path, secret_field FROM ${accounts.table} ${chosen(accounts, question)}`)
  return rows[0]
}

/**
 * That account, and the secrets that an account of the target is about to get; `candidate` is
 * undefined while nobody changes them. One statement: every session asks.
 */
export async function chosenLogins(
  db: Database,
  accounts: AccountTable,
  question: AccountQuestion,
): Promise<{ account: HeldLogin | undefined; candidate: SealedLogin | undefined }> {
  const { rows } = await db.execute<HeldLogin & { is_candidate: boolean } & Record<string, unknown>>(sql`${PREPARED}
    (SELECT false AS is_candidate, password_sealed, private_key_sealed, secret_source, secret_path, secret_field FROM ${accounts.table} ${chosen(accounts, question)})
    UNION ALL
    (SELECT true, v.password_sealed, v.private_key_sealed, NULL, '', '' FROM ${kernelSecretVersion} v
      JOIN (SELECT id, systemuser FROM ${accounts.table} WHERE ${ofTarget(accounts, question)}) account ON account.id = v.owner_id
      WHERE v.owner_kind = ${accounts.kind} AND v.state = 'candidate' ORDER BY account.systemuser IS NOT NULL LIMIT 1)`)
  const login = (wanted: boolean) => rows.find(({ is_candidate }) => is_candidate === wanted)
  return { account: login(false), candidate: login(true) }
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
