import { areaOf } from '@sallyport/contract/call-areas.ts'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors/app-error.ts'

/** The calls that a service identity may make: areas of `packages/contract/src/call-areas.ts`. */
export interface CallScope {
  reads: readonly string[]
  /** Includes reading. */
  writes: readonly string[]
  /** It reaches some targets alone (`target-limits.ts`), and makes only calls that are about those. */
  limitsTargets?: boolean
}

const ALL = 'all'
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether it may call everything that its roles allow. */
export const isWhole = ({ writes, limitsTargets }: CallScope): boolean => writes.includes(ALL) && !limitsTargets

/** The caller's own profile, which everybody may read. */
const SELF = '/api/v1/users/profile/'

/**
 * What people sign in with on pages, keep on their profile or make for themselves. A service identity
 * has its own keys alone: another credential would know neither its addresses nor its scopes.
 */
const OF_PEOPLE = [
  /^\/core\//,
  /^\/api\/v1\/users\/profile\//,
  /^\/api\/v1\/authentication\/(access-keys|agent-programs|auth|browser-sign-ins|mfa|otp|passkeys|password|sessions|tokens)\//,
  /^\/api\/v1\/authentication\/(dingtalk|feishu|wecom)\//,
]

const CONNECT = 'connect'
/** Its own scope: an identity with that alone calls nothing else, so that budgets of agents hold for it. */
const AGENTS = 'agents'
/** News and logs of tasks, which are about more than targets. */
const NEWS = /^\/ws\//
const READ = ['GET', 'HEAD', 'OPTIONS']
/**
 * Beside connections, the calls of an identity that is limited to some targets: lists of what it may
 * reach, and targets themselves, which the resource engine narrows to those. They are read alone: with
 * another address a target would be another one.
 */
const ABOUT_TARGETS: readonly (readonly [url: RegExp, methods: readonly string[]])[] = [
  [/^\/api\/v1\/perms\/users\/(assets|applications)\/(:\w+\/system-users\/)?$/, READ],
  [/^\/api\/v1\/(assets\/assets|applications\/applications)\/$/, READ],
  [/^\/api\/v1\/(assets\/assets|applications\/applications)\/:id\/$/, READ],
  [/^\/api\/mcp$/, ['POST']],
]
/** The same for the tools of an agent, which ask about the caller's own access, and run commands there. */
const ABOUT_TARGETS_OF_AGENTS: typeof ABOUT_TARGETS = [
  ...ABOUT_TARGETS,
  [/^\/api\/v1\/perms\/users\/explanation\/$/, READ],
  [/^\/api\/v1\/ops\/command-executions\/(:id\/(outcomes|cancel)\/)?$/, ['GET', 'POST']],
]

/**
 * Throws 403 for a call that the identity's scope does not include. Calls of an agent's tools are in the
 * scope of agents, whatever they are about.
 */
export function refuseOutOfScope(scope: CallScope, request: FastifyRequest, isByAgent = false): void {
  const { url = '', config } = request.routeOptions
  // A socket is opened by GET, and carries whatever its person does.
  const changes =
    !(SAFE_METHODS.has(request.method) || config.onlyCarries) || request.headers.upgrade || config.changesOnGet
  if (url === SELF && !changes) return
  if (OF_PEOPLE.some((pattern) => pattern.test(url))) throw new AppError(403, 'permission_denied', NOT_FOR_MACHINES)
  const area = isByAgent ? AGENTS : (areaOf(url) ?? ALL)
  if (!config.ofSeveralAreas && !includes(scope, area, Boolean(changes)))
    throw new AppError(403, 'out_of_scope', OUT_OF_SCOPE)
  const isConnection = area === CONNECT && !NEWS.test(url)
  if (scope.limitsTargets && !isConnection && !isAboutTargets(url, request.method, isByAgent))
    throw new AppError(403, 'out_of_scope', NO_TARGET)
}

/** Whether the scope includes a call of that address. */
export const isInScope = (scope: CallScope, url: string, changes: boolean): boolean =>
  includes(scope, areaOf(url) ?? ALL, changes)

function includes({ reads, writes }: CallScope, area: string, changes: boolean): boolean {
  const given = changes ? writes : [...reads, ...writes]
  return given.includes(area) || given.includes(ALL)
}

const isAboutTargets = (url: string, method: string, isByAgent: boolean) =>
  (isByAgent ? ABOUT_TARGETS_OF_AGENTS : ABOUT_TARGETS).some(
    ([pattern, methods]) => pattern.test(url) && methods.includes(method),
  )

const NOT_FOR_MACHINES = 'This is for people: a service identity has its own keys alone'
const OUT_OF_SCOPE = 'The scopes of this service identity do not include this call'
const NO_TARGET = 'This service identity is limited to some targets, and this call is not about them alone'
