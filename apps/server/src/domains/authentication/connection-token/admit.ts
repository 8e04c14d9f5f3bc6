import type { Target } from '@sallyport/contract/target.ts'
import { and, eq, isNull } from 'drizzle-orm'
import { hashKey } from '../../../kernel/access/random-secret.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { authenticationConnectionToken } from '../tables.ts'
import { findToken, opensFrom } from './stored-token.ts'

/**
 * The session of a connection token: a terminal of this person on this target, if the permission
 * still allows it.
 */
export interface AdmittedByToken {
  user: { id: string; name: string; username: string; onBehalfOf?: string | undefined }
  target: Target
  systemUserId: string
  /** Protocol of the system user. */
  protocol: string
}

/**
 * Whom a token may let in from there, whether it was used or not. Undefined for one that is unknown
 * or expired, or made for another address, and when the person or the target is gone or disabled.
 */
export async function holderOfToken(
  kernel: Kernel,
  token: string,
  remoteAddress: string,
): Promise<AdmittedByToken | undefined> {
  const found = await findToken(kernel, token)
  if (!found?.isHeld || !found.target.isActive || !opensFrom(found, remoteAddress)) return undefined
  const { family, id: targetId } = found.target
  const { id, name, username } = found.user
  const { id: systemUserId, protocol } = found.systemUser
  const { onBehalfOf } = found
  return { user: { id, name, username, onBehalfOf }, target: { family, id: targetId }, systemUserId, protocol }
}

/**
 * Uses the token up: nobody comes in by it any more, whichever way they try. Undefined as for
 * `holderOfToken`, and for one that has opened something.
 */
export async function admitByToken(
  kernel: Kernel,
  token: string,
  remoteAddress: string,
): Promise<AdmittedByToken | undefined> {
  const holder = await holderOfToken(kernel, token, remoteAddress)
  if (!holder) return undefined
  const { token_hash, date_used } = authenticationConnectionToken
  const used = await kernel.db
    .delete(authenticationConnectionToken)
    .where(and(eq(token_hash, hashKey(token)), isNull(date_used)))
    .returning({ date_used })
  return used.length ? holder : undefined
}
