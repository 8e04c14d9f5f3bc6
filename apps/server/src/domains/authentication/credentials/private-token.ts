import { randomBytes } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { hashKey } from '../../../kernel/access/random-secret.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { usersPerson } from '../../users/index.ts'
import { authenticationPrivateToken } from '../tables.ts'

const TOKEN_BYTES = 20
/** A token that replaces another starts as one that was never used. */
const NEW = { id: sql`uuidv7()`, created: sql`now()`, remote_addr: '', user_agent: '', date_last_seen: null }

/**
 * Makes a person's private token, which replaces an earlier one: 40 hex characters for
 * `Authorization: Token …`, which never expire (docs/rules/authentication.md#private_token). It
 * is answered here and stored only as a hash. Undefined when there is nobody of that name.
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

/** Deletes a person's private token; false when they have none. */
export async function endPrivateToken(db: Database, username: string): Promise<boolean> {
  const userId = await personOf(db, username)
  if (!userId) return false
  const gone = await db
    .delete(authenticationPrivateToken)
    .where(eq(authenticationPrivateToken.user_id, userId))
    .returning()
  return gone.length > 0
}

/** Components are left out: they prove themselves with their access key alone. */
async function personOf(db: Database, username: string): Promise<string | undefined> {
  const [user] = await db.select({ id: usersPerson.id }).from(usersPerson).where(eq(usersPerson.username, username))
  return user?.id
}
