import { Agent, fetch } from 'undici'
import { judgedConnector } from '../../../../kernel/outbound/judged-lookup.ts'
import { attributeOf, childOf, elementsBelow, parseXml, textOf } from '../../../../kernel/xml/strict-xml.ts'
import type { ReadSettings } from '../../people-sources/sources.ts'

const CAS = 'http://www.yale.edu/tp/cas'
const TIMEOUT_MS = 10_000
const MAX_BYTES = 262_144
/** CAS protocol 3.0 §3.1.1: services must accept 32 characters and should accept 256. */
const MAX_TICKET = 512

const agent = new Agent({ maxResponseSize: MAX_BYTES, connect: judgedConnector({ timeout: TIMEOUT_MS }) })

/** The server has said, in the words of the protocol, that it takes no such ticket. */
export class TicketRefused extends Error {}

/** The person of a CAS server's ticket. */
export interface CasProof {
  issuer: string
  user: string
  /** First values by name; empty below version 3, and where the server releases none. */
  attributes: Record<string, string>
  /** All values by name. */
  lists: Record<string, string[]>
}

/** A page of the CAS server, below the address in the settings. Throws when that is malformed. */
export function casAddress(settings: ReadSettings, page: string, query: Record<string, string>): string {
  const server = settings.get('CAS_SERVER_URL')
  const address = new URL(page, server.endsWith('/') ? server : `${server}/`)
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
  return address.href
}

/** Address of this server for people (CAS_ROOT_PROXIED_AS), as sent to the CAS server. */
export function ownCasAddress(settings: ReadSettings, path: string): string {
  const root = settings.get('CAS_ROOT_PROXIED_AS')
  // The form's example, as long as nobody has filled it in.
  const isExample = root === '' || root === 'https://example.com'
  return `${(isExample ? settings.get('SITE_URL') : root).replace(/\/+$/, '')}${path}`
}

/** By version of the protocol. */
const VALIDATION: Readonly<Record<number, string>> = { 1: 'validate', 2: 'serviceValidate', 3: 'p3/serviceValidate' }

/**
 * Has the CAS server tell whose ticket this is, which it does once and for this service only.
 * Throws when it does not, and when it can't be asked.
 */
export async function redeemTicket(settings: ReadSettings, ticket: string, service: string): Promise<CasProof> {
  if (!/^[\x21-\x7e]+$/.test(ticket) || ticket.length > MAX_TICKET) throw new Error('this is no ticket')
  const version = settings.get('CAS_VERSION')
  const address = casAddress(settings, VALIDATION[version] ?? '', { service, ticket })
  // No redirects: only the server that the settings name can tell who somebody is.
  const answer = await fetch(address, { dispatcher: agent, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!answer.ok) throw new Error(`the CAS server answers ${answer.status}`)
  const text = await answer.text()
  return {
    issuer: settings.get('CAS_SERVER_URL').replace(/\/+$/, ''),
    ...(version === 1 ? readLines(text) : readDocument(text)),
  }
}

/** CAS protocol 3.0 §2.4: `yes` and a name. */
function readLines(text: string): Omit<CasProof, 'issuer'> {
  const [word, user = ''] = text.split('\n')
  if (word?.trim() !== 'yes' || !user.trim()) throw new TicketRefused('the CAS server refuses the ticket')
  return { user: user.trim(), attributes: {}, lists: {} }
}

/** CAS protocol 3.0 §2.5. */
function readDocument(text: string): Omit<CasProof, 'issuer'> {
  const root = parseXml(text)
  if (root.namespaceURI !== CAS || root.localName !== 'serviceResponse')
    throw new Error('this is no answer of a CAS server')
  const failure = childOf(root, CAS, 'authenticationFailure')
  if (failure)
    throw new TicketRefused(`the CAS server refuses the ticket: ${attributeOf(failure, 'code')?.slice(0, 100)}`)
  const success = childOf(root, CAS, 'authenticationSuccess')
  const user = textOf(success && childOf(success, CAS, 'user'))
  if (!success || !user) throw new Error('the CAS server names nobody')
  const released = childOf(success, CAS, 'attributes')
  const values = Map.groupBy(released ? elementsBelow(released) : [], ({ localName }) => localName)
  const lists = [...values].map(([name, elements]) => [name, elements.map((one) => textOf(one))] as const)
  return {
    user,
    attributes: Object.fromEntries(lists.map(([name, [first = '']]) => [name, first])),
    lists: Object.fromEntries(lists),
  }
}
