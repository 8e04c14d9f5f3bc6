import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'

/**
 * Whether this browser session has proven the second factor within SECURITY_MFA_VERIFY_TTL; false
 * without a browser session.
 */
export async function hasFreshMfa(kernel: Kernel, sessionId: string | undefined): Promise<boolean> {
  if (!sessionId) return false
  const { rowCount } = await kernel.pool.query(
    `SELECT 1 FROM authentication_session
     WHERE id = $1 AND user_id IS NOT NULL AND (state->>'mfa_verified_at')::timestamptz > now() - make_interval(secs => $2)`,
    [sessionId, settingsOf(kernel).get('SECURITY_MFA_VERIFY_TTL')],
  )
  return rowCount === 1
}

/** Stores that this browser session has just proven the second factor. */
export async function stampFreshMfa({ pool }: Kernel, sessionId: string): Promise<void> {
  await pool.query(
    `UPDATE authentication_session SET state = state || jsonb_build_object('mfa_verified_at', now()) WHERE id = $1`,
    [sessionId],
  )
}
