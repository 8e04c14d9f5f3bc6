import type { Call } from '../../kernel/access/call.ts'
import { AppError } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { settingsOf } from '../settings/index.ts'
import { credentials } from './credentials.ts'

/**
 * Guards calls that show secrets: throws 400 `mfa_verify_required` unless this browser session has
 * proven its second factor within SECURITY_MFA_VERIFY_TTL, or the guard is off
 * (docs/rules/accounts.md#mfa_guard).
 */
export async function requireFreshMfa(kernel: Kernel, { sessionId }: Pick<Call, 'sessionId'>): Promise<void> {
  if (!settingsOf(kernel).get('SECURITY_VIEW_AUTH_NEED_MFA')) return
  if (await credentials.value.hasFreshMfa(kernel, sessionId)) return
  throw new AppError(400, 'mfa_verify_required', 'Verify MFA first')
}
