import { randomBytes } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { takeState } from '../session-state.ts'
import { authenticationSession, type PasskeyCeremony } from '../tables.ts'
import type { Site } from './site.ts'

/** How long a challenge may be answered, and how long the browser may wait for the person. */
export const CEREMONY_MS = 300_000
const CHALLENGE_BYTES = 32

/** A new challenge for an authenticator, valid for one answer within five minutes at this site. */
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
 * Binds the challenge to the session that asked for it, where it replaces an earlier one: no other
 * browser can answer it.
 */
export async function keepCeremony({ db }: Kernel, sessionId: string, passkey: PasskeyCeremony): Promise<void> {
  await db
    .update(authenticationSession)
    .set({ state: sql`${authenticationSession.state} || ${JSON.stringify({ passkey })}::jsonb` })
    .where(eq(authenticationSession.id, sessionId))
}

/**
 * The challenge of this session for that purpose, for one caller only: it is used up. Undefined
 * when there is none or it is too old.
 */
export async function takeCeremony(
  kernel: Kernel,
  sessionId: string | undefined,
  purpose: PasskeyCeremony['purpose'],
): Promise<PasskeyCeremony | undefined> {
  const asked = await takeState<PasskeyCeremony>(kernel, sessionId, 'passkey', {
    where: `state->'passkey'->>'purpose' = $3`,
    values: [purpose],
  })
  return asked && Date.parse(asked.expires) > Date.now() ? asked : undefined
}
