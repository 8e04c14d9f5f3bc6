import { randomBytes } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { usersPerson } from '../../users/index.ts'
import { hashKey } from '../random-secret.ts'
import { authenticationPrivateToken } from '../tables.ts'

const TOKEN_BYTES = 20
/** A token in place of another is one that was never used. */
const NEW = { id: sql`uuidv7()`, created: sql`now()`, remote_addr: '', user_agent: '', date_last_seen: null }

/**
 * A person's private token, in place of the one they may have: 40 hex characters for
 * `Authorization: Token …`, which never run out (contract/authentication.yaml `private_token`).
 * Kept only as a hash, so it is known here and nowhere later. Undefined when nobody is called so.
 */
export async function renewPrivateToken(db: Database, username: string): Promise<string | undefined> {
  const userId = await personOf(db, username)
  if (!userId) return undefined
  const token = randomBytes(TOKEN_BYTES).toString('hex')
  const key_hash = hashKey(token)
  await db
    .insert(authenticationPrivateToken)
    .values({ key_hash, user_id: userId })
    .onConflictDoUpdate({ target: authenticationPrivateToken.user_id, set: { ...NEW, key_hash } })
  return token
}

/** Takes a person's private token away; false when they have none. */
export async function endPrivateToken(db: Database, username: string): Promise<boolean> {
  const userId = await personOf(db, username)
  if (!userId) return false
  const gone = await db
    .delete(authenticationPrivateToken)
    .where(eq(authenticationPrivateToken.user_id, userId))
    .returning()
  return gone.length > 0
}

/** Components prove themselves with their access key only. */
async function personOf(db: Database, username: string): Promise<string | undefined> {
  const [user] = await db.select({ id: usersPerson.id }).from(usersPerson).where(eq(usersPerson.username, username))
  return user?.id
}
