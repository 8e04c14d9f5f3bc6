import { createHash } from 'node:crypto'
import { spoken } from '@sallyport/contract/names.ts'
import { signIn } from '@sallyport/contract/resources/authentication/sign-in.ts'
import { sql } from 'drizzle-orm'
import type { Call } from '../../../kernel/access/call.ts'
import { callerOf, displayName } from '../../../kernel/access/call.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'
import { findUser } from '../../users/index.ts'
import { isPublicKeyOf } from '../../users/profile/index.ts'
import { admitHeld, type SignInAnswer, type SignInClient } from '../sign-in/sign-in.ts'
import type { Confirmed } from './stored.ts'

/** A person's key that its client has proven, and where the client is. */
export interface KeyAttempt {
  username: string
  /** The key's wire form in base64. */
  publicKey: string
  address: string
}

/** Hours for which a confirmation may hold for a key and an address; 0 where it may not. */
export function holdHours(kernel: Kernel): number {
  const settings = settingsOf(kernel)
  const takes = settings.get('TERMINAL_BROWSER_AUTH') && settings.get('TERMINAL_PUBLIC_KEY_AUTH')
  return takes ? settings.get('TERMINAL_BROWSER_AUTH_HOLD') : 0
}

/** `SHA256:…`, as `ssh-keygen -l` prints it; `publicKey` is the key's wire form in base64. */
export const fingerprintOf = (publicKey: string): string =>
  `SHA256:${createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('base64').replace(/=+$/, '')}`

/**
 * Whether this is the key of that person, so that a confirmation could hold for it. Names that
 * nobody has are answered the same as keys of others.
 */
export async function isKeyToHold(
  kernel: Kernel,
  { username, publicKey }: Pick<KeyAttempt, 'username' | 'publicKey'>,
): Promise<boolean> {
  if (!holdHours(kernel)) return false
  const person = await findUser(kernel.db, { username })
  return person !== undefined && person.role !== 'App' && isPublicKeyOf(kernel, person, publicKey)
}

/**
 * Signs in by a confirmation that still holds for this person's key at this address; undefined
 * where none does. The answer is that of every other sign-in: account state, login rules and
 * reviewers hold.
 */
export async function signInByHold(
  kernel: Kernel,
  signInClient: SignInClient,
  { username, publicKey, address }: KeyAttempt,
): Promise<SignInAnswer | undefined> {
  const hours = holdHours(kernel)
  if (!hours) return undefined
  const person = await findUser(kernel.db, { username })
  if (!person || person.role === 'App' || !isPublicKeyOf(kernel, person, publicKey)) return undefined
  const { rows } = await kernel.pool.query<Confirmed>(
    `UPDATE authentication_browser_hold SET date_last_seen = now()
     WHERE user_id = $1 AND key_fingerprint = $2 AND remote_addr = $3 AND date_expired > now()
       AND date_created > now() - make_interval(hours => $4)
     RETURNING user_id AS "userId", mfa, outside`,
    [person.id, fingerprintOf(publicKey), address, hours],
  )
  return rows[0] && admitHeld(kernel, signInClient, { address, type: 'T' }, rows[0])
}

/**
 * From an answered sign-in on, holds for its key and address; one that held there before begins
 * again. `sessionId` is the browser session in which the person confirmed.
 */
export async function holdConfirmation(
  { audit }: Pick<Kernel, 'audit'>,
  db: Database,
  call: Call,
  { id, sessionId, hours }: { id: string; sessionId: string; hours: number },
): Promise<void> {
  const { rows } = await db.execute<{ key_fingerprint: string; remote_addr: string }>(sql`
    INSERT INTO authentication_browser_hold
      (user_id, key_fingerprint, remote_addr, program, mfa, outside, outside_keys, date_expired)
    SELECT a.user_id, a.key_fingerprint, a.remote_addr, a.program, a.mfa, a.outside,
      ARRAY(SELECT jsonb_array_elements_text(coalesce(s.state #> '{outside,keys}', '[]'))),
      now() + make_interval(hours => ${hours})
    FROM authentication_browser_sign_in a JOIN authentication_session s ON s.id = ${sessionId}
    WHERE a.id = ${id} AND a.key_fingerprint IS NOT NULL
    ON CONFLICT (user_id, key_fingerprint, remote_addr) DO UPDATE SET program = excluded.program,
      mfa = excluded.mfa, outside = excluded.outside, outside_keys = excluded.outside_keys,
      date_created = now(), date_last_seen = NULL, date_expired = excluded.date_expired
    RETURNING key_fingerprint, remote_addr`)
  const person = spoken(displayName(callerOf(call)))
  await audit.record(
    db,
    call,
    rows.map(({ key_fingerprint, remote_addr }) => ({
      action: 'create' as const,
      resourceType: signIn.label,
      resource: `${person}: ${signIn.fields.kind.choices.browser_hold}, ${key_fingerprint}, ${remote_addr}, ${hours} h`,
      orgId: call.org.id,
    })),
  )
}

/** Those of before the setting was lowered or switched off count no more, and leave the list. */
export async function dropOverlong(kernel: Kernel): Promise<void> {
  await kernel.pool.query(
    'DELETE FROM authentication_browser_hold WHERE date_created <= now() - make_interval(hours => $1)',
    [holdHours(kernel)],
  )
}
