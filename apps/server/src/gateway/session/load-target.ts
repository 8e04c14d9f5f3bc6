import type { Target } from '@sallyport/contract/target.ts'
import { AppError } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Opener } from '../../kernel/secrets/vault.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'
import { loadConnectionTarget, type TargetQuestion } from '../targets/session-families.ts'
import { SessionRefusal } from './refusal.ts'

/**
 * Loads a target with its secrets (see `loadConnectionTarget`). Throws SessionRefusal when it is
 * gone, or when its secrets may not be sent where it is now.
 */
export async function loadTarget(
  kernel: Kernel,
  wanted: Target,
  question: Omit<TargetQuestion, 'id'>,
  open: Opener,
): Promise<ConnectionTarget> {
  try {
    const target = await loadConnectionTarget(kernel, wanted, question, open)
    if (target) return target
  } catch (error) {
    throw error instanceof AppError ? new SessionRefusal(error.message, error.values) : error
  }
  throw new SessionRefusal('The asset or the system user does not exist any more')
}
