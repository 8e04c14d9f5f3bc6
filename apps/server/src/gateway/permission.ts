import { mayConnect } from '../domains/perms/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { FileAction } from './files/file-rights.ts'
import { missingRight } from './files/transfer-of.ts'
import type { Kind, SessionRequest } from './kinds/index.ts'

export interface Permission {
  /** Whether they may connect. */
  allowed: boolean
  /** A right that they lack for what they want to do there. */
  missing: FileAction | undefined
  /** Milliseconds since 1970. */
  until: number
}

/** What the person may do now; a moment later it may be different. */
export async function permissionOf<K extends Kind>(kernel: Kernel, request: SessionRequest<K>): Promise<Permission> {
  const { person, target, systemUserId } = request
  const { allowed, expireAt, mask } = await mayConnect(kernel.db, { userId: person.id, target, systemUserId })
  return {
    allowed,
    missing: 'program' in request ? missingRight(request.program, mask) : undefined,
    until: expireAt * 1000,
  }
}
