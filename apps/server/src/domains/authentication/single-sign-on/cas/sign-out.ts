import { createHash } from 'node:crypto'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { childOf, parseXml, textOf } from '../../../../kernel/xml/strict-xml.ts'
import { type SettingsStore, settingsOf } from '../../../settings/index.ts'
import { LOCAL_LOGIN_PAGE } from '../../login-pages.ts'
import { casAddress, ownCasAddress } from './cas-server.ts'

const SAMLP = 'urn:oasis:names:tc:SAML:2.0:protocol'
/** Characters of a sign-out request, which contains a ticket and little more. */
export const MAX_REQUEST = 16_384

/**
 * The CAS server's sign-out page; undefined where the settings keep its session
 * (CAS_LOGOUT_COMPLETELY).
 */
export function casSignOut(kernel: Kernel): string | undefined {
  const settings = settingsOf(kernel)
  if (!settings.get('AUTH_CAS') || !settings.get('CAS_LOGOUT_COMPLETELY')) return undefined
  return casAddress(settings, 'logout', { service: ownCasAddress(settings, LOCAL_LOGIN_PAGE) })
}

/** By what the CAS server names a session: a hash of the ticket, which only it and we know. */
export const sessionKey = (settings: SettingsStore, ticket: string): string =>
  createHash('sha256')
    .update(`cas\n${settings.get('CAS_SERVER_URL')}\n${ticket}`)
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
