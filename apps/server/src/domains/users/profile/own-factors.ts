import { AppError } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { credentials } from '../credentials.ts'

/**
 * Must pass before people switch off their second factor or direct it elsewhere: somebody who finds
 * an open browser must not be able to. People without one may set one up.
 * @throws AppError 400 mfa_verify_required
 */
export async function requireOwnFactor(
  kernel: Kernel,
  user: { id: string; bound?: boolean },
  sessionId: string | undefined,
): Promise<void> {
  const hasOne = user.bound || (await credentials.value.hasFactor(kernel, user.id))
  if (!hasOne || (await credentials.value.hasFreshMfa(kernel, sessionId))) return
  throw new AppError(400, 'mfa_verify_required', 'Verify MFA first')
}
