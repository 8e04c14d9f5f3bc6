/**
 * Callers of a route. A route lists such words, of which at least one must hold for the caller in
 * the current organization.
 *
 * - `anonymous`: anybody, signed in or not
 * - `authenticated`: any signed-in, active, unexpired person or component
 * - `org_member`: belongs to the current organization; system administrators, system auditors and
 *   components belong to every one, and only they to root
 * - `org_auditor`: may audit the current organization; its administrators may
 *   (docs/rules/dashboard.md#org_auditor)
 * - `org_admin`: administers the current organization; in the root organization only super
 *   administrators do
 * - `super_admin`: system administrator
 * - `component`: the service account of a component
 * - `bootstrap_token`: carries the installation's bootstrap token instead of an identity
 */
export type Access =
  | 'anonymous'
  | 'authenticated'
  | 'org_member'
  | 'org_auditor'
  | 'org_admin'
  | 'super_admin'
  | 'component'
  | 'bootstrap_token'

/** Permission bits of the console (A6.01). */
export const PERMISSION = { use: 1, audit: 2, admin: 16, super: 128 } as const

/** Page roles as sums of bits (A6.03 to A6.08). */
export const PAGE_ROLE = { SuperAdmin: 146, SuperAuditor: 131, OrgAdmin: 18, OrgAuditor: 3, User: 1, Anon: 0 } as const

export type SystemRole = 'Admin' | 'Auditor' | 'User' | 'App'
export type OrgRole = 'Admin' | 'Auditor' | 'User'

/** Whether all required bits are present (A6.15). */
export function hasPermission(held: number, required: number): boolean {
  return (held & required) === required
}

/**
 * The bits of a person in an organization (A6.10 to A6.14): a system Admin has SuperAdmin and
 * User, an Admin of the organization OrgAdmin and User, any Auditor OrgAuditor, everybody else
 * User.
 */
export function permissionBits(role: SystemRole, orgRoles: readonly string[]): number {
  if (role === 'Admin') return PAGE_ROLE.SuperAdmin | PAGE_ROLE.User
  if (orgRoles.includes('Admin')) return PAGE_ROLE.OrgAdmin | PAGE_ROLE.User
  if (role === 'Auditor' || orgRoles.includes('Auditor')) return PAGE_ROLE.OrgAuditor
  return PAGE_ROLE.User
}
