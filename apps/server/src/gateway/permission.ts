import { mayConnect } from '../domains/perms/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { FileAction } from './files/file-rights.ts'
import { missingRight } from './files/transfer-of.ts'
import type { Kind, SessionRequest } from './kinds/index.ts'

export interface Permission {
  /** May connect. */
  allowed: boolean
  /** What they want to do there needs this as well, and they have it not. */
  missing: FileAction | undefined
  /** Milliseconds. */
  until: number
}

/** What the person may do now; it may be another answer a moment later. */
export async function permissionOf<K extends Kind>(kernel: Kernel, request: SessionRequest<K>): Promise<Permission> {
  const { person, target, systemUserId } = request
  const { allowed, expireAt, mask } = await mayConnect(kernel.db, { userId: person.id, target, systemUserId })
  return {
    allowed,
    missing: 'program' in request ? missingRight(request.program, mask) : undefined,
    until: expireAt * 1000,
  }
}
