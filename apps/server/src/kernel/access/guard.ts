import type { Access } from '@sallyport/contract/access.ts'
import { ROOT_ORG_ID, WIRE } from '@sallyport/contract/constants.ts'
import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import { readTimeZone } from '@sallyport/contract/time-zone.ts'
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { AppError, forbidden, licenseRequired, notAuthenticated } from '../errors/app-error.ts'
import { languageOf } from '../i18n/language-of.ts'
import { serverZone } from '../server-zone.ts'
import { Slots } from '../slots.ts'
import { callerOfAgent, takeAgentCall } from './agent-call.ts'
import { type Call, isComponent, isOrgAdmin, isOrgAuditor, isOrgMember, isSuperAdmin } from './call.ts'
import { refuseOutOfScope } from './call-scope.ts'
import { refuseLimited } from './limited-key.ts'
import { requireSameOrigin } from './same-origin.ts'
import { sourceNetwork } from './source-network.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The groups of callers that are allowed; one of them is enough. Every route must name them.
     */
    access?: readonly Access[]
    /** Runs in the root organization whatever the client says. */
    rootOrg?: boolean
    /**
     * Calls by browser session need no CSRF token here; only for routes with a check of their own.
     * `same_origin`: pages of other sites are refused all the same, which anything that begins or
     * ends a sign-in needs.
     */
    withoutCsrf?: boolean | 'same_origin'
    /**
     * A GET that changes something, because the contract has it so. Only scripts of our own pages
     * may call it: a link that a browser follows is refused, wherever it stands. `same_site`:
     * following a link is fine (a download, signing out), but not one on another site.
     */
    changesOnGet?: boolean | 'same_site'
    /**
     * A POST that changes nothing by itself: to scopes it is reading, and what it carries is judged
     * call by call.
     */
    onlyCarries?: boolean
    /**
     * The guard looks nobody up, and so asks nothing of the database: the answer is the same for
     * everybody, or callers bring a credential that this route checks by itself.
     */
    withoutCaller?: boolean
    /**
     * A page for browsers: a visitor who is not signed in is sent to the sign-in page, not refused.
     */
    page?: boolean
    /**
     * Makes a password, a key or a link, or otherwise lets somebody sign in: refused to callers
     * with a key that works from some addresses only. Where that depends on the body, the handler
     * asks `refuseLimited`.
     */
    opensWayIn?: boolean
    /**
     * What it reads and writes belongs to several areas of calls: the handler asks for each whether the
     * scope of a service identity includes it (`isInScope`).
     */
    ofSeveralAreas?: boolean
    /** Refused to people while no license is valid (A6.21). */
    needsLicense?: boolean | undefined
    /** How a 401 asks for a credential, where clients of this route expect another word than those of the API. */
    challenge?: string | ((request: FastifyRequest) => string)
    /** One line for the API document. */
    summary?: string
    /** The rows of a list or detail route without a resource, for OPTIONS and the API document. */
    rows?: DescribedRows
    /** The fields of this call's body, which may depend on the query. */
    takes?: Takes | undefined
    /** The body may hold many rows or ids: more bytes of JSON, and more values in them, than others. */
    takesMany?: boolean
    /** The body is a spreadsheet, as large as the setting for import files says. */
    takesFile?: boolean
  }
  interface FastifyRequest {
    call: Call
  }
}

/** Fields of rows, and how a list of them can be narrowed and ordered: a definition, or a part of one. */
export type DescribedRows = Pick<ResourceDefinition, 'fields'> &
  Partial<Pick<ResourceDefinition, 'label' | 'filters' | 'ordering'>>

/** Fields of a body: as in a definition, or what checks them. */
export type DescribedBody = Pick<ResourceDefinition, 'fields'> | z.ZodObject

/** The same, where the query chooses what the body holds as well. */
export type Takes = DescribedBody | ((query: Readonly<Record<string, string>>) => DescribedBody)

/** Bytes that somebody who is not signed in may send, where a route says nothing else. */
const ANONYMOUS_BODY_LIMIT = 64 * 1024

/**
 * Callers that are looked up at a time: half of the pool of connections, so that a stranger who
 * sends thousands of requests leaves some to known callers.
 */
const LOOKED_UP = 10
/** Those that wait for it, from anywhere and from one address. */
const MAX_WAITING = 4000
const MAX_WAITING_OF_ADDRESS = 1000

const SIGN_IN_PAGE = '/core/auth/login/'

/** The result of the authentication domain for a request. */
export type Identity = Pick<
  Call,
  'user' | 'via' | 'sessionId' | 'signInId' | 'keyAddresses' | 'scope' | 'onBehalfOf' | 'org' | 'orgRoles'
> & {
  /**
   * For a caller who is no member of `org`: an organization of their own; root for a caller who has
   * none.
   */
  own?: Pick<Call, 'org' | 'orgRoles'>
}

export interface AccessProvider {
  /**
   * Finds the caller of this request and the organization in which it runs. Throws 401 for a bad
   * credential; with none, `user` is undefined. `wantedOrg` is an id, a name, `root` or `default`;
   * unknown ones fall back to Default (docs/rules/api.md#organization).
   */
  identify(request: FastifyRequest, wantedOrg: string | undefined): Promise<Identity>
  /** Whether a license is in force. */
  isLicensed(): boolean
  /** Whether the request carries the bootstrap token of the installation. */
  hasBootstrapToken(request: FastifyRequest): boolean
}

/** A route as the access tests and the API document need it. */
export interface RegisteredRoute {
  method: string
  url: string
  access: readonly Access[]
  config: FastifyContextConfig
}

/**
 * Checks every call: no route is registered without saying who may call it, and none is called by
 * anyone else. Must be installed before any route. Returns the list of routes, which grows as they
 * are registered.
 */
export function installAccessGuard(app: FastifyInstance, provider: AccessProvider): RegisteredRoute[] {
  const routes: RegisteredRoute[] = []
  app.addHook('onRoute', (route) => {
    const { method, url, config } = route
    if (!config?.access) throw new Error(`route ${String(method)} ${url} does not say who may call it (config.access)`)
    if (config.access.includes('anonymous')) route.bodyLimit ??= ANONYMOUS_BODY_LIMIT
    if (config.withoutCaller && !config.access.includes('anonymous'))
      throw new Error(`route ${url} looks nobody up: it is anonymous`)
    for (const one of [method].flat()) routes.push({ method: one, url, access: config.access, config })
  })
  app.decorateRequest('call')
  app.addHook('onRequest', async (request, reply) => {
    const { config } = request.routeOptions
    const anonymous: Call = anonymousCall(request)
    request.call = anonymous
    const access = config.access
    if (!access) return // the not-found handler
    // Browsers send cookies along when a foreign page opens a WebSocket, which can carry no CSRF
    // header: the origin is all there is to check.
    if (request.headers.upgrade) requireSameOrigin(request)
    if (config.withoutCaller) return
    const byAgent = takeAgentCall(request)
    const identity: Identity = byAgent
      ? await inTurn(request, () => callerOfAgent(byAgent, request))
      : await inTurn(request, () => provider.identify(request, config.rootOrg ? ROOT_ORG_ID : wantedOrg(request)))
    const { own, ...named } = identity
    request.call = { ...anonymous, ...named }
    if (named.scope) refuseOutOfScope(named.scope, request, byAgent !== undefined)
    // A route for everybody asks for no membership. A caller who names a foreign organization there
    // acts on their own behalf, so the auditors of their own organization see it.
    if (own && !config.rootOrg && access.some(isForEverybody) && !isOrgMember(request.call))
      request.call = { ...request.call, ...own }
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
    // Components go on with what was set up while there was one: safety does not lapse with a license.
    if (config.needsLicense && !provider.isLicensed() && !isComponent(request.call)) throw licenseRequired()
    if (config.opensWayIn) refuseLimited(request.call)
  })
  return routes
}

const isForEverybody = (word: Access) => word === 'authenticated' || word === 'anonymous'

const lookedUp = new Slots(LOOKED_UP)

/** Addresses take turns. Throws 429 when too many wait. */
function inTurn<T>({ ip }: FastifyRequest, lookUp: () => Promise<T>): Promise<T> {
  const source = sourceNetwork(ip)
  if (lookedUp.waiting >= MAX_WAITING || lookedUp.waitingOf(source) >= MAX_WAITING_OF_ADDRESS)
    throw new AppError(429, 'too_many_requests', 'Too many requests: try again in a minute')
  return lookedUp.use(lookUp, source)
}

/**
 * Whether a link or a foreign page led the browser here. Browsers set these headers themselves; no
 * page can forge them.
 */
export function isLedThere({ headers }: FastifyRequest, changes: true | 'same_site'): boolean {
  return (
    headers['sec-fetch-site'] === 'cross-site' || (changes !== 'same_site' && headers['sec-fetch-mode'] === 'navigate')
  )
}

/** Whether the caller is that, in the current organization. */
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
    ...languageOf(request),
    timeZone: timeZoneOf(request.headers['x-tz']),
    remoteAddress: request.ip,
  }
}

function wantedOrg(request: FastifyRequest): string | undefined {
  const oid = (request.query as Record<string, string | string[] | undefined>).oid
  const wanted = [oid].flat().at(-1) || [request.headers['x-jms-org']].flat()[0] || request.cookies[WIRE.orgCookie]
  return wanted ? wanted.slice(0, 128) : undefined
}

/** The client's zone, or the server's when it is absent or unknown. */
const timeZoneOf = (header: string | string[] | undefined): string => readTimeZone([header].flat()[0]) ?? serverZone()

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Calls by browser session that change something must repeat the csrftoken cookie in the header,
 * and an Origin header, where there is one, must name us
 * (docs/rules/authentication.md#session_and_csrf). Tokens and signatures need none of this: no
 * foreign page can make a browser send them.
 */
function checkCsrf(request: FastifyRequest, access: readonly Access[]): void {
  const { withoutCsrf } = request.routeOptions.config
  if (SAFE_METHODS.has(request.method) || withoutCsrf === true) return
  if (request.call.via !== 'session' && !access.includes('anonymous')) return
  requireSameOrigin(request)
  if (request.call.via !== 'session' || withoutCsrf) return
  const cookie = request.cookies[WIRE.csrfCookie]
  const header = [request.headers['x-csrftoken']].flat()[0]
  if (!cookie || cookie !== header) throw forbidden('CSRF Failed: CSRF token missing or incorrect.')
}
