import { and, eq, gt, sql } from 'drizzle-orm'
import { hashKey, randomText } from '../../../kernel/access/random-secret.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { authenticationResetToken } from '../tables.ts'

const TOKEN_LENGTH = 50

/**
 * Makes a one-time token to set a new password; the person's earlier ones become invalid.
 * @param isSignIn whether a sign-in, which goes on with the new password, makes it
 */
export async function createResetToken(
  db: Database,
  userId: string,
  seconds: number,
  isSignIn = false,
): Promise<string> {
  const token = randomText(TOKEN_LENGTH)
  await db.delete(authenticationResetToken).where(eq(authenticationResetToken.user_id, userId))
  await db.insert(authenticationResetToken).values({
    token_hash: hashKey(token),
    user_id: userId,
    is_sign_in: isSignIn,
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

/** Uses the token up; answers whether a sign-in made it. Undefined when it was used before. */
export async function consumeResetToken(db: Database, token: string): Promise<{ is_sign_in: boolean } | undefined> {
  const gone = await db
    .delete(authenticationResetToken)
    .where(eq(authenticationResetToken.token_hash, hashKey(token)))
    .returning({ is_sign_in: authenticationResetToken.is_sign_in })
  return gone[0]
}
