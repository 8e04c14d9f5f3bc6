/**
 * A CAS server on this machine, as far as services see one: tickets valid once and for one service,
 * answers of all three versions, single sign-out.
 */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CasDouble {
  url: string
  /**
   * Signs somebody in at the page that a start leads to; answers the address that the browser is
   * sent back to.
   */
  signIn(address: string, user: string): string
  /** What it tells of people besides their name. */
  attributes: Map<string, Record<string, string[]>>
  /** Validation requests so far. */
  asked: string[]
  /** The answer instead, where a test sets it. */
  forged: { status?: number; headers?: Record<string, string>; body?: string } | undefined
  /** The body that its single sign-out posts to a service. */
  signOutBody(ticket: string): Record<string, string>
  close(): Promise<void>
}

const CAS = 'http://www.yale.edu/tp/cas'
const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
const document = (inner: string) => `<cas:serviceResponse xmlns:cas="${CAS}">${inner}</cas:serviceResponse>`

export async function startCas(): Promise<CasDouble> {
  const tickets = new Map<string, { user: string; service: string }>()
  const double: CasDouble = {
    url: '',
    attributes: new Map(),
    asked: [],
    forged: undefined,
    signIn(address, user) {
      const { pathname, searchParams } = new URL(address)
      const service = searchParams.get('service')
      if (pathname !== '/cas/login' || !service) throw new Error(`this is not the sign-in page: ${address}`)
      const ticket = `ST-1-${randomBytes(20).toString('base64url')}`
      tickets.set(ticket, { user, service })
      const back = new URL(service)
      back.searchParams.set('ticket', ticket)
      return back.href
    },
    signOutBody: (ticket) => ({
      logoutRequest: `<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="LR-1" Version="2.0" IssueInstant="${new Date().toISOString()}"><saml:NameID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">@NOT_USED@</saml:NameID><samlp:SessionIndex>${ticket}</samlp:SessionIndex></samlp:LogoutRequest>`,
    }),
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  }
  const http = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', double.url)
    double.asked.push(pathname)
    if (double.forged) {
      const { status = 200, headers = {}, body = '' } = double.forged
      response.writeHead(status, headers).end(body)
      return
    }
    const ticket = searchParams.get('ticket') ?? ''
    const known = tickets.get(ticket)
    // A ticket can be validated once, whatever the answer (CAS protocol 3.0 §3.1.1).
    tickets.delete(ticket)
    const user = known && known.service === searchParams.get('service') ? known.user : undefined
    if (pathname === '/cas/validate') {
      response.end(user ? `yes\n${user}\n` : 'no\n\n')
      return
    }
    const isThird = pathname === '/cas/p3/serviceValidate'
    if (!isThird && pathname !== '/cas/serviceValidate') {
      response.writeHead(404).end()
      return
    }
    response.setHeader('content-type', 'application/xml')
    const values = Object.entries((isThird && user && double.attributes.get(user)) || {})
      .flatMap(([name, all]) => all.map((one) => `<cas:${name}>${escaped(one)}</cas:${name}>`))
      .join('')
    const reason = known ? 'INVALID_SERVICE' : 'INVALID_TICKET'
    response.end(
      document(
        user
          ? `\n<cas:authenticationSuccess><cas:user>${escaped(user)}</cas:user>${values && `<cas:attributes>${values}</cas:attributes>`}</cas:authenticationSuccess>\n`
          : `<cas:authenticationFailure code="${reason}">${escaped(ticket)} is refused</cas:authenticationFailure>`,
      ),
    )
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  double.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/cas/`
  return double
}
