import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors/app-error.ts'

/** Characters of what a client sent that are said back to it. */
const MOST_SAID = 255

/**
 * Whether the Origin header, when there is one, names this server as the client addressed it. Some
 * proxies add the port to the Host header where browsers leave it out.
 */
export function isSameOrigin({ headers: { origin }, host }: FastifyRequest): boolean {
  if (!origin) return true
  const page = URL.parse(origin)
  return page !== null && page.host !== '' && URL.parse(`${page.protocol}//${host}`)?.host === page.host
}

/** Throws 403 unless the request came from a page of this server. */
export function requireSameOrigin(request: FastifyRequest): void {
  if (!isSameOrigin(request)) throw otherOrigin(request)
}

/**
 * Says both addresses that differ, which the client knows but for the Host header that reached us.
 * A browser knows whether the page was one of another site (Sec-Fetch-Site); where it does not say
 * so, a proxy has changed Host.
 */
function otherOrigin({ headers, host }: FastifyRequest): AppError {
  const { origin = '', 'sec-fetch-site': site = '' } = headers
  const isElsewhere = site === 'cross-site' || site === 'same-site' || !URL.parse(origin)?.host
  const values = { origin: origin.slice(0, MOST_SAID), host: (host ?? '').slice(0, MOST_SAID) }
  return isElsewhere
    ? new AppError(
        403,
        'permission_denied',
        'Nothing was done: this was asked by a page of another site, {{origin}}, and not by one of {{host}}.',
        { values },
      )
    : new AppError(
        403,
        'permission_denied',
        'Nothing was done: your browser is at {{origin}}, but the request reached this server under the name {{host}}. A proxy on the way changes the Host header. Tell the administrator of this site to have it pass Host on (nginx: proxy_set_header Host $http_host).',
        { values },
      )
}
