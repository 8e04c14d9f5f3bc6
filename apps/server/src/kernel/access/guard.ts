import type { Access } from '@sallyport/contract/access.ts'
import { ROOT_ORG_ID, WIRE } from '@sallyport/contract/constants.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { forbidden, licenseRequired, notAuthenticated } from '../errors/app-error.ts'
import { languageOf } from '../i18n/translate.ts'
import { type Call, isComponent, isOrgAdmin, isOrgAuditor, isOrgMember, isSuperAdmin } from './call.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call; one word must hold. Every route must say so. */
    access?: readonly Access[]
    /** Runs in the root organisation whatever the client says. */
    rootOrg?: boolean
    /**
     * Session calls of this route carry no CSRF token: only for routes that check something of
     * their own. `same_origin`: pages of other sites are refused all the same, as anything that
     * begins or ends a sign-in must be.
     */
    withoutCsrf?: boolean | 'same_origin'
    /**
     * A GET that changes something (the wire wants it so): only a page's own call does that, no
     * link that a browser follows, be it on our pages or in a return address. `same_site`: browsers
     * are sent there, to a download or to the end of their session, but not from another site.
     */
    changesOnGet?: boolean | 'same_site'
    /**
     * Nobody is looked up for this anonymous route: the credential that its callers bring is its
     * own.
     */
    ownCredential?: boolean
    /**
     * A page that browsers are sent to: whoever is not signed in comes to the sign-in page first.
     */
    page?: boolean
    /** Refused as long as no licence is valid (spec notes 38). */
    needsLicense?: boolean | undefined
    /** One line for the API document. */
    summary?: string
  }
  interface FastifyRequest {
    call: Call
  }
}

/** Bytes that somebody who is not signed in may send, where a route says nothing else. */
const ANONYMOUS_BODY_LIMIT = 64 * 1024

const SIGN_IN_PAGE = '/core/auth/login/'

/** What the authentication domain finds out about a request. */
export type Identity = Pick<Call, 'user' | 'via' | 'sessionId' | 'signInId' | 'org' | 'orgRoles'>

export interface AccessProvider {
  /**
   * Who sends this request and in which organisation it runs. Throws 401 for a bad credential; no
   * credential is `user: undefined`. `wantedOrg` is an id, a name, or the words root and default;
   * unknown ones fall back to Default (contract/orgs.yaml).
   */
  identify(request: FastifyRequest, wantedOrg: string | undefined): Promise<Identity>
  /** Whether a licence is in force. */
  isLicensed(): boolean
  /** The bootstrap token of the installation, compared in constant time. */
  hasBootstrapToken(request: FastifyRequest): boolean
}

/** Every route of the app, as the permission walk and the API document need it. */
export interface RegisteredRoute {
  method: string
  url: string
  access: readonly Access[]
  summary: string | undefined
}

/**
 * The one door: no route is registered without saying who may call it, and none is called by anyone
 * else. Must be installed before any route. Returns the list of routes, which grows as they are
 * registered.
 */
export function installAccessGuard(app: FastifyInstance, provider: AccessProvider): RegisteredRoute[] {
  const routes: RegisteredRoute[] = []
  app.addHook('onRoute', (route) => {
    const { method, url, config } = route
    if (!config?.access) throw new Error(`route ${String(method)} ${url} does not say who may call it (config.access)`)
    if (config.access.includes('anonymous')) route.bodyLimit ??= ANONYMOUS_BODY_LIMIT
    if (config.ownCredential && !config.access.includes('anonymous'))
      throw new Error(`route ${url} has a credential of its own: it is anonymous`)
    for (const one of [method].flat()) routes.push({ method: one, url, access: config.access, summary: config.summary })
  })
  app.decorateRequest('call')
  app.addHook('onRequest', async (request, reply) => {
    const { config } = request.routeOptions
    const anonymous: Call = anonymousCall(request)
    request.call = anonymous
    const access = config.access
    if (!access) return // the not-found handler
    // A page of somebody else's must not open sockets with this person's cookie: browsers send it
    // along, and no CSRF header can be asked for.
    if (request.headers.upgrade && !isSameOrigin(request)) throw forbidden('CSRF Failed: Origin checking failed.')
    if (config.ownCredential) return
    const identity = await provider.identify(request, config.rootOrg ? ROOT_ORG_ID : wantedOrg(request))
    request.call = { ...anonymous, ...identity }
    if (config.changesOnGet && isLedThere(request, config.changesOnGet))
      throw forbidden('CSRF Failed: Origin checking failed.')
    if (access.includes('anonymous')) return checkCsrf(request, access)
    if (access.includes('bootstrap_token') && provider.hasBootstrapToken(request)) return
    if (!request.call.user) {
      const isBrowser = config.page && String(request.headers.accept ?? '').includes('text/html')
      if (isBrowser) return reply.redirect(`${SIGN_IN_PAGE}?next=${encodeURIComponent(request.url)}`)
      throw notAuthenticated()
    }
    checkCsrf(request, access)
    if (!access.some((word) => holds(word, request.call))) throw forbidden()
    if (config.needsLicense && !provider.isLicensed()) throw licenseRequired()
  })
  return routes
}

/** Browsers say so themselves; no page can make them say otherwise. */
function isLedThere({ headers }: FastifyRequest, changes: true | 'same_site'): boolean {
  return (
    headers['sec-fetch-site'] === 'cross-site' || (changes !== 'same_site' && headers['sec-fetch-mode'] === 'navigate')
  )
}

/** Whether the caller is what the word says, in the current organisation. */
export function holds(word: Access, call: Call): boolean {
  switch (word) {
    case 'anonymous':
      return true
    case 'authenticated':
      return call.user !== undefined
    case 'org_member':
      return isOrgMember(call)
    case 'super_admin':
      return isSuperAdmin(call)
    case 'org_admin':
      return isOrgAdmin(call)
    case 'org_auditor':
      return isOrgAuditor(call)
    case 'component':
      return isComponent(call)
    case 'bootstrap_token':
      return false
    default:
      return word satisfies never
  }
}

export function may(access: readonly Access[], call: Call): boolean {
  return access.some((word) => holds(word, call))
}

function anonymousCall(request: FastifyRequest): Call {
  return {
    user: undefined,
    via: undefined,
    sessionId: undefined,
    org: { id: ROOT_ORG_ID, name: '' },
    orgRoles: [],
    language: languageOf(request.cookies[WIRE.languageCookie], request.headers['accept-language']),
    timeZone: timeZoneOf(request.headers['x-tz']),
    remoteAddress: request.ip,
  }
}

function wantedOrg(request: FastifyRequest): string | undefined {
  const oid = (request.query as Record<string, string | string[] | undefined>).oid
  const wanted = [oid].flat().at(-1) || [request.headers['x-jms-org']].flat()[0] || request.cookies[WIRE.orgCookie]
  return wanted ? wanted.slice(0, 128) : undefined
}

const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone
const knownZones = new Map<string, boolean>()
/** The client's zone, or the server's when it is absent or unknown. */
function timeZoneOf(header: string | string[] | undefined): string {
  const zone = [header].flat()[0]
  if (!zone || zone.length > 64) return ownZone
  let known = knownZones.get(zone)
  if (known === undefined) {
    known = isTimeZone(zone)
    if (knownZones.size < 1000) knownZones.set(zone, known)
  }
  return known ? zone : ownZone
}

function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Unsafe calls by browser session must repeat the csrftoken cookie in the header, and a stated
 * Origin must be ours (contract/authentication.yaml "session and CSRF"). Calls with a token or
 * signature carry nothing that a foreign page could make a browser send.
 */
function checkCsrf(request: FastifyRequest, access: readonly Access[]): void {
  const { withoutCsrf } = request.routeOptions.config
  if (SAFE_METHODS.has(request.method) || withoutCsrf === true) return
  if (request.call.via !== 'session' && !access.includes('anonymous')) return
  if (!isSameOrigin(request)) throw forbidden('CSRF Failed: Origin checking failed.')
  if (request.call.via !== 'session' || withoutCsrf) return
  const cookie = request.cookies[WIRE.csrfCookie]
  const header = [request.headers['x-csrftoken']].flat()[0]
  if (!cookie || cookie !== header) throw forbidden('CSRF Failed: CSRF token missing or incorrect.')
}

/** Whether the Origin header, when there is one, names this server as the client addressed it. */
export function isSameOrigin(request: FastifyRequest): boolean {
  const origin = request.headers.origin
  if (!origin) return true
  try {
    return new URL(origin).host === request.host
  } catch {
    return false
  }
}
