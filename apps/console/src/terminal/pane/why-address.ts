import { familyOfAddress } from '../assets/target-family.ts'
import type { SocketTarget } from '../screen/socket.ts'

/** The page that says why the person may not connect there; none for what only a token names. */
export function whyAddress({ type, family, target_id, system_user_id }: SocketTarget): string | undefined {
  if (type === 'token' || !target_id) return undefined
  const query = new URLSearchParams({ [family ?? familyOfAddress(type)]: target_id })
  if (system_user_id) query.set('system_user', system_user_id)
  return `/ui/perms/own-access?${query}`
}
