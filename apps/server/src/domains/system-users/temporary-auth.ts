import { and, eq, sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Opener } from '../../kernel/secrets/vault.ts'
import { assetsTemporaryAuth } from './tables.ts'

/** How long a typed login is kept (docs/rules/assets.md#temp-auth). */
const TEMPORARY_AUTH_SECONDS = 300
/**
 * The newest of one person: targets are not looked up here, and nobody fills the disk with them.
 */
const MAX_KEPT = 50

export interface TemporaryAuthKey {
  userId: string
  systemUserId: string
  /** Id of an asset or application. */
  target: string
}

export interface TemporaryAuth {
  username: string
  password: string
}

/** Stores a login that a person typed for one target; it replaces an earlier one. */
export async function keepTemporaryAuth(
  { db, secrets }: Kernel,
  { userId, systemUserId, target }: TemporaryAuthKey,
  { username, password }: TemporaryAuth,
): Promise<void> {
  const values = {
    username,
    password_sealed: secrets.seal(password),
    date_expired: sql`now() + make_interval(secs => ${TEMPORARY_AUTH_SECONDS})` as unknown as Date,
  }
  await db
    .insert(assetsTemporaryAuth)
    .values({ user_id: userId, systemuser: systemUserId, target, ...values })
    .onConflictDoUpdate({
      target: [assetsTemporaryAuth.user_id, assetsTemporaryAuth.systemuser, assetsTemporaryAuth.target],
      set: values,
    })
  await db.execute(sql`DELETE FROM ${assetsTemporaryAuth} WHERE id IN (
    SELECT id FROM ${assetsTemporaryAuth} WHERE user_id = ${userId} ORDER BY date_expired DESC OFFSET ${MAX_KEPT})`)
}

/** The stored login, for one use: it is deleted. Undefined when there is none or it has expired. */
export async function takeTemporaryAuth(
  { db }: Pick<Kernel, 'db'>,
  { userId, systemUserId, target }: TemporaryAuthKey,
  open: Opener,
): Promise<TemporaryAuth | undefined> {
  const [row] = await db
    .delete(assetsTemporaryAuth)
    .where(
      and(
        eq(assetsTemporaryAuth.user_id, userId),
        eq(assetsTemporaryAuth.systemuser, systemUserId),
        eq(assetsTemporaryAuth.target, target),
      ),
    )
    .returning({
      username: assetsTemporaryAuth.username,
      password_sealed: assetsTemporaryAuth.password_sealed,
      alive: sql<boolean>`${assetsTemporaryAuth.date_expired} > now()`,
    })
  if (!row?.alive) return undefined
  return { username: row.username, password: row.password_sealed ? open(row.password_sealed) : '' }
}

/** Deletes expired logins. */
export async function forgetTemporaryAuth({ db }: Kernel): Promise<void> {
  await db.delete(assetsTemporaryAuth).where(sql`${assetsTemporaryAuth.date_expired} < now()`)
}
