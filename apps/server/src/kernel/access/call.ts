import type { OrgRole, SystemRole } from '@sallyport/contract/access.ts'
import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { notAuthenticated } from '../errors/app-error.ts'
import type { Language } from '../i18n/translate.ts'
import type { CallScope } from './call-scope.ts'
import type { SignIn } from './sign-in.ts'

/** The organization a call runs in. */
export interface CallOrg {
  id: string
  name: string
}

/**
 * The caller, with only what every route needs. A domain reads the rest of the user's row itself.
 */
export interface CallUser {
  id: string
  name: string
  username: string
  role: SystemRole
}

/** What one request knows about itself before its handler runs. */
export interface Call {
  /** Nobody on anonymous routes. */
  user: CallUser | undefined
  /** How the caller proved who they are; only `session` needs a CSRF token. */
  via: 'session' | 'bearer' | 'private_token' | 'signature' | 'scim' | 'service_key' | undefined
  /** The browser session's row, when there is one (also before sign-in is complete). */
  sessionId: string | undefined
  /** Id of the caller's entry in their list of sign-ins; signed requests have none. */
  signInId?: string | undefined
  /** The addresses that the key or token works from, where it has such. */
  keyAddresses?: readonly string[] | undefined
  /** The calls that a service identity may make; undefined for everybody else. */
  scope?: CallScope | undefined
  /**
   * For whom a service identity acts, as `name(username)`; where an agent acts, for whom and by which
   * client.
   */
  onBehalfOf?: string | undefined
  /** The client that an agent calls by, as it names itself; undefined for all other calls. */
  agent?: string | undefined
  /** The sign-in that an agent came by: what it begins ends with that. */
  agentSignIn?: SignIn | undefined
  org: CallOrg
  /** Roles held in `org` by membership. Empty in the root organization. */
  orgRoles: readonly OrgRole[]
  language: Language
  /** Whether the caller chose it, or their browser was asked; otherwise it is the installation's. */
  isLanguageKnown?: boolean
  /** The client's zone: an IANA name, or an offset (contract, `readTimeZone`). */
  timeZone: string
  remoteAddress: string
}

export function isRoot(call: Pick<Call, 'org'>): boolean {
  return call.org.id === ROOT_ORG_ID
}

/**
 * The caller of a route that is not anonymous. Throws 401 where there is none, which the access
 * guard does not let happen.
 */
export function callerOf(call: Call): CallUser {
  if (!call.user) throw notAuthenticated()
  return call.user
}

export function isSuperAdmin(call: Call): boolean {
  return call.user?.role === 'Admin'
}

/**
 * Whether the caller administers the current organization (docs/rules/roles.md#role_model); for
 * the root organization the system role alone counts.
 */
export function isOrgAdmin(call: Call): boolean {
  return isSuperAdmin(call) || (!isRoot(call) && call.orgRoles.includes('Admin'))
}

/** Whether the caller may audit the current organization; its administrators may. */
export function isOrgAuditor(call: Call): boolean {
  return isOrgAdmin(call) || call.user?.role === 'Auditor' || (!isRoot(call) && call.orgRoles.includes('Auditor'))
}

/**
 * Whether the caller belongs to the current organization. People with a system role and components
 * belong to every organization, and only they to the root organization.
 */
export function isOrgMember(call: Call): boolean {
  const isEverywhere = isSuperAdmin(call) || call.user?.role === 'Auditor' || isComponent(call)
  return isEverywhere || (!isRoot(call) && call.orgRoles.length > 0)
}

export function isComponent(call: Call): boolean {
  return call.user?.role === 'App'
}

/** Name(username), as people are written in sessions and logs. */
export function displayName(user: Pick<CallUser, 'name' | 'username'>): string {
  return `${user.name}(${user.username})`
}
