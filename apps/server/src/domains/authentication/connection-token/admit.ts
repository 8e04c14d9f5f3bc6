import type { Kernel } from '../../../kernel/kernel.ts'
import { findToken } from './stored-token.ts'

/** What a connection token opens: a terminal of this person to this asset, as far as the permission still allows it. */
export interface AdmittedByToken {
  user: { id: string; name: string; username: string }
  assetId: string
  systemUserId: string
}

/** Undefined for a token that is unknown, has run out or is for something else than an asset, and when person or asset are not good any more. */
export async function admitByToken(kernel: Kernel, token: string): Promise<AdmittedByToken | undefined> {
  const found = await findToken(kernel, token)
  if (!found?.isHeld || found.type !== 'asset' || !found.target.isActive) return undefined
  const { id, name, username } = found.user
  return { user: { id, name, username }, assetId: found.target.id, systemUserId: found.systemUser.id }
}
