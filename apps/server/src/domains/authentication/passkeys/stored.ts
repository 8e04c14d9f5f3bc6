import { and, asc, eq, or, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { PasskeyCeremony } from '../tables.ts'
import { authenticationPasskey, type Passkey } from '../tables.ts'
import { type PasskeyAnswer, provenCounter } from './webauthn.ts'

/** A person's passkeys, oldest first. */
export function passkeysOf(db: Database, userId: string): Promise<Passkey[]> {
  return db
    .select()
    .from(authenticationPasskey)
    .where(eq(authenticationPasskey.user_id, userId))
    .orderBy(asc(authenticationPasskey.date_created), asc(authenticationPasskey.id))
}

/** The passkey that an answer claims to be made with; nothing is proven yet. */
export async function passkeyNamed(db: Database, { id }: Pick<PasskeyAnswer, 'id'>): Promise<Passkey | undefined> {
  const [row] = await db
    .select()
    .from(authenticationPasskey)
    .where(eq(authenticationPasskey.credential_id, Buffer.from(id, 'base64url')))
  return row
}

/** A reason of the login log. */
export type PasskeyRefusal = 'passkey_failed' | 'passkey_cloned'

/**
 * Checks an answer of this passkey: undefined when it is right, else why it is not. A counter that
 * did not increase means that the key exists twice, so neither copy is trusted. One statement
 * compares and stores it: of two answers with the same counter, one counts.
 */
export async function takeAnswer(
  kernel: Kernel,
  answer: PasskeyAnswer,
  ceremony: PasskeyCeremony,
  passkey: Passkey,
  needsVerification: boolean,
): Promise<PasskeyRefusal | undefined> {
  const counter = await provenCounter(answer, ceremony, passkey, needsVerification)
  if (counter === undefined) return 'passkey_failed'
  const table = authenticationPasskey
  // Many authenticators keep no counter and always send 0.
  const goesOn = or(sql`${table.counter} < ${counter}`, eq(table.counter, 0))
  const stored = await kernel.db
    .update(table)
    .set({ counter, date_last_used: sql`now()` })
    .where(and(eq(table.id, passkey.id), goesOn))
    .returning({ id: table.id })
  if (stored.length) return undefined
  kernel.app.log.warn(
    { passkey: passkey.id, user: passkey.user_id, counter },
    'the counter of a passkey went back: it may have been copied',
  )
  return 'passkey_cloned'
}
