import { AppError } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { hasFreshMfa } from './otp.ts'

type HasFactor = (userId: string) => Promise<boolean>
const known = new WeakMap<Kernel, HasFactor>()

/** The authentication domain, which this one does not know, says who has a second factor to prove. */
export function tellFactors(kernel: Kernel, hasFactor: HasFactor): void {
  known.set(kernel, hasFactor)
}

/**
 * Before people take their second factor off, or lead it elsewhere: who finds an open browser must not. Who has none yet may set one up.
 * @throws AppError 400 mfa_verify_required
 */
export async function requireOwnFactor(
  kernel: Kernel,
  user: { id: string; bound?: boolean },
  sessionId: string | undefined,
): Promise<void> {
  const hasOne = user.bound || (await known.get(kernel)?.(user.id))
  if (!hasOne || (await hasFreshMfa(kernel, sessionId))) return
  throw new AppError(400, 'mfa_verify_required', 'Prove your second factor first')
}
