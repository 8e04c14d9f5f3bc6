import { createHash } from 'node:crypto'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { childOf, parseXml, textOf } from '../../../../kernel/xml/strict-xml.ts'
import { LOCAL_LOGIN_PAGE } from '../../login-pages.ts'
import type { OutsideSession } from '../../tables.ts'
import { casAddress, ownCasAddress } from './cas-server.ts'
import { type CasSource, casSources } from './sources.ts'

const SAMLP = 'urn:oasis:names:tc:SAML:2.0:protocol'
/** Characters of a sign-out request, which contains a ticket and little more. */
export const MAX_REQUEST = 16_384

/**
 * The CAS server's sign-out page; undefined where the settings keep its session
 * (CAS_LOGOUT_COMPLETELY).
 */
export async function casSignOut(kernel: Kernel, { provider }: OutsideSession): Promise<string | undefined> {
  const settings = (await casSources.inForce(kernel, provider ?? null))?.settings
  if (!settings?.get('CAS_LOGOUT_COMPLETELY')) return undefined
  return casAddress(settings, 'logout', { service: ownCasAddress(settings, LOCAL_LOGIN_PAGE) })
}

/**
 * By what a CAS server names a session: a hash of the ticket, which only it and we know. No server ends
 * sessions of another, even if both have one address.
 */
export const sessionKey = ({ id, settings }: CasSource, ticket: string): string =>
  createHash('sha256')
    .update(`cas\n${id === null ? '' : `${id}\n`}${settings.get('CAS_SERVER_URL')}\n${ticket}`)
    .digest('hex')

/**
 * The ticket that a sign-out request of a CAS server names (CAS protocol 3.0 §2.3.3). Throws when
 * it names none.
 */
export function ticketOf(logoutRequest: string): string {
  if (logoutRequest.length > MAX_REQUEST) throw new Error('the sign-out request is too large')
  const root = parseXml(logoutRequest)
  if (root.namespaceURI !== SAMLP || root.localName !== 'LogoutRequest') throw new Error('this is no sign-out request')
  const ticket = textOf(childOf(root, SAMLP, 'SessionIndex'))
  if (!ticket) throw new Error('the sign-out request names no ticket')
  return ticket
}
