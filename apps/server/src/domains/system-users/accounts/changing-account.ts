import { and, desc, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { type Credentials, openLogin, type SealedLogin } from '../../../kernel/secrets/login.ts'
import type { Opener } from '../../../kernel/secrets/vault.ts'
import { promote, type SecretRow } from '../../../kernel/secrets/versions.ts'
import { adminUsersOf, assetsListedAsset } from '../../assets/index.ts'
import { assetsAccount, assetsSystemUser } from '../tables.ts'
import { copySecretsToLinked } from './account-rules.ts'
import { accountUsers } from './account-users.ts'

/**
 * What others need to change the secret of an account on its machine: the row whose secrets have
 * versions. The order of steps is `domains/accounts/rotation/`.
 */
export const assetAccountRow = (id: string): SecretRow => ({ kind: 'asset_account', table: assetsAccount, id })

/**
 * The account of that user name on an asset that belongs to no system user, which goes before those
 * of system users; made where it is missing, without secrets. Throws when the asset is gone.
 */
export async function freeAccountOf(db: Database, asset: string, username: string): Promise<string> {
  await db.insert(assetsAccount).values({ asset, username }).onConflictDoNothing()
  const [found] = await db
    .select({ id: assetsAccount.id })
    .from(assetsAccount)
    .where(and(eq(assetsAccount.asset, asset), eq(assetsAccount.username, username), isNull(assetsAccount.systemuser)))
  if (!found) throw new Error(`asset ${asset} has no account ${username}`)
  return found.id
}

/**
 * Makes the candidate of an account current, and gives it to the linked accounts of the same user
 * name on that asset. Throws 409 when it has none.
 */
export async function keepChangedSecret(db: Database, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    await promote(tx, assetAccountRow(id))
    const [account] = await tx
      .update(assetsAccount)
      .set({ connectivity: 'ok', date_verified: sql`now()`, date_updated: sql`now()` })
      .where(eq(assetsAccount.id, id))
      .returning()
    if (account) await copySecretsToLinked(tx, account)
  })
}

/**
 * The secrets with which one logs in by an account of `freeAccountOf`: its own, else those of the
 * linked accounts of that user name on the asset, else of their system users.
 */
export async function inheritedLogin(
  db: Database,
  id: string,
  open: Opener,
): Promise<Omit<Credentials, 'username'> | undefined> {
  const held = await heldLogin(db, id)
  return held && openLogin(held, open)
}

/** Whether that login is kept outside of Sallyport, where alone it is changed. */
export async function isLoginOutside(db: Database, id: string): Promise<boolean> {
  return Boolean((await heldLogin(db, id))?.secret_source)
}

async function heldLogin(
  db: Database,
  id: string,
): Promise<(SealedLogin & { secret_source: string | null }) | undefined> {
  const { rows } = await db.execute<SealedLogin & { secret_source: string | null } & Record<string, unknown>>(sql`
    WITH own AS (SELECT * FROM assets_account WHERE id = ${id}),
      linked AS (
        SELECT l.password_sealed, l.private_key_sealed, l.secret_source, l.date_updated,
          s.password_sealed AS user_password, s.private_key_sealed AS user_key, s.secret_source AS user_source
        FROM own JOIN assets_account l ON l.asset = own.asset JOIN assets_system_user s ON s.id = l.systemuser
        WHERE s.username = own.username AND NOT s.username_same_with_user)
    SELECT password_sealed, private_key_sealed, secret_source FROM (
      SELECT 1 AS place, password_sealed, private_key_sealed, secret_source, date_updated FROM own
      UNION ALL SELECT 2, password_sealed, private_key_sealed, secret_source, date_updated FROM linked
      UNION ALL SELECT 3, user_password, user_key, user_source, date_updated FROM linked) login
    WHERE num_nonnulls(password_sealed, private_key_sealed, secret_source) > 0
    ORDER BY place, date_updated DESC LIMIT 1`)
  return rows[0]
}

/** A machine whose accounts are changed, and the user who changes them. */
export interface ChangingMachine {
  id: string
  hostname: string
  adminUser: string | null
  adminName: string | null
}

/** The machines of these ids that are there, by host name. */
export async function machinesToChange(db: Database, ids: readonly string[]): Promise<ChangingMachine[]> {
  if (!ids.length) return []
  const admins = await adminUsersOf(db, ids)
  const { id, hostname } = assetsListedAsset
  const machines = await db
    .select({ id, hostname })
    .from(assetsListedAsset)
    .where(inArray(id, [...ids]))
    .orderBy(hostname)
  const users = await accountUsers(
    db,
    machines.map((machine) => ({ systemuser: admins.get(machine.id) ?? null })),
  )
  return machines.map((machine) => {
    const adminUser = admins.get(machine.id) ?? null
    return { ...machine, adminUser, adminName: users.get(adminUser ?? '')?.username ?? null }
  })
}

/** The secrets that system users themselves have, here or outside: of the first of these that has any. */
export async function systemUserLogin(
  db: Database,
  ids: readonly string[],
): Promise<(SealedLogin & { secret_source: string | null }) | undefined> {
  if (!ids.length) return undefined
  const { password_sealed, private_key_sealed, secret_source, date_updated } = assetsSystemUser
  const [found] = await db
    .select({ password_sealed, private_key_sealed, secret_source })
    .from(assetsSystemUser)
    .where(
      and(
        inArray(assetsSystemUser.id, [...ids]),
        sql`num_nonnulls(${password_sealed}, ${private_key_sealed}, ${secret_source}) > 0`,
      ),
    )
    .orderBy(desc(date_updated))
    .limit(1)
  return found
}
