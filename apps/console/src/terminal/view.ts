/** Which of its pages the web terminal shows, by address (contract web-terminal, routes). */
import { WIRE } from '@sallyport/contract/constants.ts'
import type { TargetFamily } from '@sallyport/contract/target.ts'
import { APPLICATION_KINDS, familyOfAddress } from './assets/target-family.ts'
import type { ContainerPlace } from './connect/connection.ts'
import { DATABASE_PROTOCOLS, DESKTOP_PROTOCOLS } from './text-protocols.ts'

/** Views that a connection token can open, beside a terminal. */
export type TokenView = 'workbench' | 'desktop' | 'keys' | 'cluster'

export type View =
  | { name: 'main'; loginTo: string | null; family: TargetFamily; systemUser: string | null; view?: 'workbench' }
  /** One connection filling the window; the dialog asks where there is something to choose. */
  | { name: 'single'; loginTo: string; family: TargetFamily; systemUser: string | null; view?: 'workbench' }
  /** One connection, all of it in the address: nothing is asked. */
  | {
      name: 'direct'
      targetId: string
      protocol: string
      systemUserId: string
      family?: TargetFamily
      place?: ContainerPlace
    }
  /** The view that a connection token opens; nobody need be signed in. */
  | { name: 'token'; token: string; view?: TokenView }
  | { name: 'replay'; sessionId: string }
  /** With the ticket that let the session in, for those who decided on it. */
  | { name: 'monitor'; sessionId: string; ticketId: string | null }
  | { name: 'join'; shareId: string; code: string | null }
  | { name: 'files'; assetId: string | null }
  /** The clients that people may use, and where to get them. */
  | { name: 'download' }
  /** An address that names nothing that could be shown. */
  | { name: 'nothing' }
  | { name: 'blank' }

/** The page for an address; an unknown one below the terminal's base is the main page. */
export function viewOf(pathname: string, search: string): View {
  const query = new URLSearchParams(search)
  const { loginTo, family } = asked(query)
  const systemUser = query.get('system_user')
  const [base, page = '', id = '', assetId] = pathname.split('/').filter(Boolean)
  if (`/${base}/` === WIRE.textGatewayBase) {
    if (page === 'monitor' && id) return { name: 'monitor', sessionId: id, ticketId: query.get('ticket') }
    if (page === 'share' && id) return { name: 'join', shareId: id, code: query.get('code') }
    if (page === 'elfinder' && id === 'sftp') return { name: 'files', assetId: assetId ?? null }
    const targetId = query.get('target_id')
    if (page === 'token' && targetId) return { name: 'token', token: targetId, ...shownIn(query) }
    const systemUserId = query.get('system_user_id')
    if (page === 'terminal' && targetId && systemUserId)
      return { name: 'direct', targetId, systemUserId, protocol: query.get('type') ?? 'ssh', ...placeIn(query) }
    return { name: 'nothing' }
  }
  if (`/${base}/` === WIRE.graphicalGatewayBase) return graphicalView(page, query)
  if (base === 'core' && page === 'download') return { name: 'download' }
  if (page === 'replay' && id) return { name: 'replay', sessionId: id }
  if (page === 'monitor' && id) return { name: 'monitor', sessionId: id, ticketId: query.get('ticket') }
  const token = query.get('token')
  if (page === 'connect' && token) return { name: 'token', token, ...shownByProtocol(query) }
  if (page === 'connect' && loginTo) return { name: 'single', loginTo, family, systemUser, ...shownIn(query) }
  if (page === 'undefined') return { name: 'blank' }
  return { name: 'main', loginTo, family, systemUser, ...shownIn(query) }
}

/** Pages of desktops by the addresses of the graphical gateway (contract web-terminal, connect.urls and monitor frames). */
function graphicalView(page: string, query: URLSearchParams): View {
  const session = query.get('session')
  if (page === 'monitor') return session ? { name: 'monitor', sessionId: session, ticketId: null } : { name: 'nothing' }
  const token = query.get('token')
  if (token) return { name: 'token', token, view: 'desktop' }
  const [targetId, systemUserId, type] = ['target_id', 'system_user_id', 'type'].map((name) => query.get(name))
  if (!targetId || !systemUserId) return { name: 'nothing' }
  // A remote app is reached by the protocol of its machine.
  if (type === 'remoteapp') return { name: 'direct', targetId, systemUserId, protocol: 'rdp', family: 'application' }
  return { name: 'direct', targetId, systemUserId, protocol: type === 'vnc' ? 'vnc' : 'rdp' }
}

/** A view of our own: a database in its workbench. */
const shownIn = (query: URLSearchParams): { view?: 'workbench' } =>
  query.get('view') === 'workbench' ? { view: 'workbench' } : {}

/** A token of a database opens its workbench, and one of a desktop that, when the protocol is named (contract web-terminal, address_parameters). */
function shownByProtocol(query: URLSearchParams): { view?: TokenView } {
  const protocol = query.get('protocol') ?? ''
  if (DESKTOP_PROTOCOLS.includes(protocol)) return { view: 'desktop' }
  if (protocol === 'k8s' && shownIn(query).view) return { view: 'cluster' }
  if (!DATABASE_PROTOCOLS.includes(protocol)) return shownIn(query)
  return { view: protocol === 'redis' ? 'keys' : 'workbench' }
}

/** The container that an address of the gateway's names (contract web-terminal, connect.urls). */
function placeIn(query: URLSearchParams): { place?: ContainerPlace } {
  const [namespace, pod, container] = ['namespace', 'pod', 'container'].map((name) => query.get(name))
  return namespace && pod && container ? { place: { namespace, pod, container } } : {}
}

/** The target to open at once (contract web-terminal, address_parameters). */
function asked(query: URLSearchParams): { loginTo: string | null; family: TargetFamily } {
  for (const kind of ['asset', ...APPLICATION_KINDS]) {
    const id = query.get(kind)
    if (id) return { loginTo: id, family: familyOfAddress(kind) }
  }
  return { loginTo: query.get('login_to'), family: familyOfAddress(query.get('type')) }
}
