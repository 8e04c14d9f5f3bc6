import type { Target } from '@sallyport/contract/target.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { findToken } from './stored-token.ts'

/**
 * What a connection token opens: a terminal of this person to this target, as far as the permission
 * still allows it.
 */
export interface AdmittedByToken {
  user: { id: string; name: string; username: string }
  target: Target
  systemUserId: string
}

/**
 * Undefined for a token that is unknown or has run out, and when person or target are not good any
 * more.
 */
export async function admitByToken(kernel: Kernel, token: string): Promise<AdmittedByToken | undefined> {
  const found = await findToken(kernel, token)
  if (!found?.isHeld || !found.target.isActive) return undefined
  const { family, id: targetId } = found.target
  const { id, name, username } = found.user
  return { user: { id, name, username }, target: { family, id: targetId }, systemUserId: found.systemUser.id }
}
