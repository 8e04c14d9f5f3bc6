import { hash, verify } from '@node-rs/argon2'
import { and, desc, eq } from 'drizzle-orm'
import type { Call } from '../../../kernel/access/call.ts'
import { sourceNetwork } from '../../../kernel/access/source-network.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { recordPasswordChange } from '../../audits/index.ts'
import { credentials } from '../credentials.ts'
import type { User } from '../find-user.ts'
import { usersPasswordHistory, usersUser } from '../tables.ts'
import { decoyFor } from './hashes/decoys.ts'
import { hasHashInThread } from './hashes/in-thread.ts'
import { type StoredHash, storedHash } from './hashes/stored-hash.ts'

/**
 * OWASP's minimum for argon2id: 19 MiB, two passes. The library hashes on threads of its own, so
 * only the caller waits.
 */
const OWASP_MINIMUM = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

let cost: { memoryCost: number; timeCost: number; parallelism: number } = OWASP_MINIMUM

/**
 * For tests of other things, which hash thousands of passwords: called by tests alone, since no
 * setting may lower what a stolen hash costs to guess.
 */
export function hashCheaply(cheaply = true): void {
  cost = cheaply ? { memoryCost: 8, timeCost: 1, parallelism: 1 } : OWASP_MINIMUM
}

/** Longer ones are refused without hashing them. */
const MAX_PASSWORD_LENGTH = 1024

export async function hashPassword(password: string): Promise<string> {
  return hash(password, cost)
}

/** The start of our own hashes, up to the salt. */
const ownKind = () => `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`

/**
 * Whether this is the password of a person who has one here; `person` undefined for a name that has
 * none. The one place where people prove a password, whatever they sign in to. It takes as long for
 * a name without a password as for one of the others (`hashes/decoys.ts`).
 *
 * A hash that an import brought is taken once: it is replaced by our own before this answers.
 */
export async function isPasswordOf(
  kernel: Kernel,
  person: Pick<User, 'id' | 'password_hash'> | undefined,
  { password, username, address }: { password: string; username: string; address: string },
): Promise<boolean> {
  if (password.length > MAX_PASSWORD_LENGTH) return false
  const decoy = await decoyFor(kernel, username, ownKind())
  const stored = storedHash(person?.password_hash ?? '')
  const matches = await hasHash(password, stored ?? decoy, sourceNetwork(address))
  if (!person?.password_hash || !stored || !matches) return false
  if (stored.kind !== ownKind()) await replaceHash(kernel.db, person.id, person.password_hash, password)
  return true
}

/** Whether a password has a stored hash. The costly ones of others are compared in a thread. */
async function hasHash(password: string, { kind, way }: StoredHash, owner: string): Promise<boolean> {
  if (kind !== ownKind() || way.algorithm !== 'argon2') return hasHashInThread(password, way, owner)
  return verify(way.text, password).catch(() => false)
}

/**
 * Puts a hash of our own in the place of one that was just proven, also among the earlier passwords.
 * One that was changed in the meantime stays. The password is no new one: nothing ends, and its date
 * stays.
 */
async function replaceHash(db: Database, userId: string, proven: string, password: string): Promise<void> {
  const password_hash = await hashPassword(password)
  await db.transaction(async (inside) => {
    const { rowCount } = await inside
      .update(usersUser)
      .set({ password_hash })
      .where(and(eq(usersUser.id, userId), eq(usersUser.password_hash, proven)))
    if (!rowCount) return
    const remembered = await inside
      .update(usersPasswordHistory)
      .set({ password_hash })
      .where(and(eq(usersPasswordHistory.user_id, userId), eq(usersPasswordHistory.password_hash, proven)))
    if (!remembered.rowCount) await inside.insert(usersPasswordHistory).values({ user_id: userId, password_hash })
  })
}

/** Whether the password is one of the last `limit` of this person; with 0 it never is. */
export async function wasUsedBefore(db: Database, userId: string, password: string, limit: number): Promise<boolean> {
  if (limit <= 0) return false
  const earlier = await db
    .select({ password_hash: usersPasswordHistory.password_hash })
    .from(usersPasswordHistory)
    .where(eq(usersPasswordHistory.user_id, userId))
    // Those that an import brings later are older than what was set here.
    .orderBy(desc(usersPasswordHistory.date_created), desc(usersPasswordHistory.id))
    .limit(limit)
  for (const { password_hash } of earlier) {
    const stored = storedHash(password_hash)
    if (stored && (await hasHash(password, stored, userId))) return true
  }
  return false
}

/**
 * Stores a new password: stamps its date, remembers its hash, writes the audit row, ends the
 * person's other browser sessions and tokens, and switches their access keys off. Rules and history are the caller's to check first.
 * Answers the moment that the row is stamped with.
 */
export async function setPassword(
  db: Database,
  call: Call,
  user: { id: string; name: string; username: string },
  password: string,
  options: { mustChange?: boolean; keepSession?: string } = {},
): Promise<Date> {
  const password_hash = await hashPassword(password)
  const now = new Date()
  await db
    .update(usersUser)
    .set({ password_hash, date_password_last_updated: now, need_update_password: options.mustChange ?? false })
    .where(eq(usersUser.id, user.id))
  await db.insert(usersPasswordHistory).values({ user_id: user.id, password_hash })
  await credentials.value.endSignIns(db, user.id, { session: options.keepSession })
  await credentials.value.suspendAccessKeys(db, user.id)
  await recordPasswordChange(db, call, user)
  return now
}
