import { and, eq, gt, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { hashKey, randomText } from '../random-secret.ts'
import { authenticationResetToken } from '../tables.ts'

const TOKEN_LENGTH = 50

/** Makes a one-time token to set a new password; the person's earlier ones become invalid. */
export async function createResetToken(db: Database, userId: string, seconds: number): Promise<string> {
  const token = randomText(TOKEN_LENGTH)
  await db.delete(authenticationResetToken).where(eq(authenticationResetToken.user_id, userId))
  await db.insert(authenticationResetToken).values({
    token_hash: hashKey(token),
    user_id: userId,
    date_expired: sql`now() + make_interval(secs => ${seconds})`,
  })
  return token
}

/** The person whom a token belongs to; undefined when it is unknown, used or expired. */
export async function findResetToken(db: Database, token: string): Promise<string | undefined> {
  const [row] = await db
    .select({ user_id: authenticationResetToken.user_id })
    .from(authenticationResetToken)
    .where(
      and(
        eq(authenticationResetToken.token_hash, hashKey(token)),
        gt(authenticationResetToken.date_expired, sql`now()`),
      ),
    )
  return row?.user_id
}

/** Uses the token up. False when it was used before. */
export async function consumeResetToken(db: Database, token: string): Promise<boolean> {
  const gone = await db
    .delete(authenticationResetToken)
    .where(eq(authenticationResetToken.token_hash, hashKey(token)))
    .returning({ user_id: authenticationResetToken.user_id })
  return gone.length === 1
}
