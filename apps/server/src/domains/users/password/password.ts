import { hash, verify } from '@node-rs/argon2'
import { desc, eq } from 'drizzle-orm'
import type { Call } from '../../../kernel/access/call.ts'
import { awaitedLater } from '../../../kernel/background.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { recordPasswordChange } from '../../audits/index.ts'
import { credentials } from '../credentials.ts'
import { usersPasswordHistory, usersUser } from '../tables.ts'

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

let nobodysHash: Promise<string> | undefined

/**
 * Compares in the same time whether or not there is a hash, so that user names can't be probed by
 * timing.
 */
export async function isPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  if (password.length > MAX_PASSWORD_LENGTH) return false
  nobodysHash ??= awaitedLater(hashPassword('nobody'))
  const matches = await verify(stored ?? (await nobodysHash), password).catch(() => false)
  return matches && typeof stored === 'string'
}

/** Whether the password is one of the last `limit` of this person; with 0 it never is. */
export async function wasUsedBefore(db: Database, userId: string, password: string, limit: number): Promise<boolean> {
  if (limit <= 0) return false
  const earlier = await db
    .select({ password_hash: usersPasswordHistory.password_hash })
    .from(usersPasswordHistory)
    .where(eq(usersPasswordHistory.user_id, userId))
    .orderBy(desc(usersPasswordHistory.id))
    .limit(limit)
  for (const { password_hash } of earlier) if (await isPassword(password, password_hash)) return true
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
