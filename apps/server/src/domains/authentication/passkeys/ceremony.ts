import { randomBytes } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { authenticationSession, type PasskeyCeremony } from '../tables.ts'
import type { Site } from './site.ts'

/** How long a question may be answered, and the browser may ask the person. */
export const CEREMONY_MS = 300_000
const CHALLENGE_BYTES = 32

/** A question to an authenticator: new, for one answer within five minutes, at this site. */
export function newCeremony(
  purpose: PasskeyCeremony['purpose'],
  { rp_id, origin }: Site,
  userHandle?: string,
): PasskeyCeremony {
  return {
    purpose,
    rp_id,
    origin,
    challenge: randomBytes(CHALLENGE_BYTES).toString('base64url'),
    expires: new Date(Date.now() + CEREMONY_MS).toISOString(),
    ...(userHandle ? { user_handle: userHandle } : {}),
  }
}

/**
 * Ties the question to the session that asked: another browser can't answer it. A later one takes
 * its place.
 */
export async function keepCeremony({ db }: Kernel, sessionId: string, passkey: PasskeyCeremony): Promise<void> {
  await db
    .update(authenticationSession)
    .set({ state: sql`${authenticationSession.state} || ${JSON.stringify({ passkey })}::jsonb` })
    .where(eq(authenticationSession.id, sessionId))
}

/**
 * What this session was asked for that purpose; for one caller only, whatever they do with it.
 * Undefined when nothing was, or too long ago.
 */
export async function takeCeremony(
  { pool }: Kernel,
  sessionId: string | undefined,
  purpose: PasskeyCeremony['purpose'],
): Promise<PasskeyCeremony | undefined> {
  if (!sessionId) return undefined
  const { rows } = await pool.query<{ passkey: PasskeyCeremony }>(
    `UPDATE authentication_session SET state = state - 'passkey'
     WHERE id = $1 AND state->'passkey'->>'purpose' = $2 AND date_expired > now() RETURNING old.state->'passkey' AS passkey`,
    [sessionId, purpose],
  )
  const asked = rows[0]?.passkey
  return asked && Date.parse(asked.expires) > Date.now() ? asked : undefined
}
