/** Ways to open a desktop (contract web-terminal, connect_types). */
import type { PublicSettings } from '../../session/session.ts'
import type { SystemUser } from './system-user-choice.ts'

/** In this page; by a link that a program on the person's computer takes; by a file that one opens. */
export type ConnectType = 'web' | 'rdp_client' | 'rdp_file'

const WEB: readonly ConnectType[] = ['web']
const RDP: readonly ConnectType[] = ['web', 'rdp_client', 'rdp_file']

/** Connection methods of a system user. Empty where nobody serves it. */
export function connectTypes({ protocol }: SystemUser, { DESKTOP_PORTS }: PublicSettings): readonly ConnectType[] {
  return protocol === 'rdp' && DESKTOP_PORTS?.rdp ? RDP : WEB
}

const key = (protocol: string) => `luna_connect_type_${protocol}`

/** The one that was used last for this protocol in this browser, as far as it is on offer; else the first. */
export function usualType(protocol: string, types: readonly ConnectType[]): ConnectType {
  const last = localStorage.getItem(key(protocol))
  return types.find((type) => type === last) ?? 'web'
}

/** See `usualType`. */
export const keepUsualType = (protocol: string, type: ConnectType): void => localStorage.setItem(key(protocol), type)
