import { hasPermission, PERMISSION } from '@sallyport/contract/access.ts'

const ADMIN_PAGE_BITS = PERMISSION.super | PERMISSION.admin | PERMISSION.audit

/**
 * The role in use (A6.25 to A6.28): a stored one is kept while the bits contain it entirely;
 * without organizations to administer or audit it is the user pages; else the admin pages, when
 * there is a bit for them.
 */
export function currentRole(bits: number, stored: number | undefined, hasAdminOrgs: boolean): number {
  if (!hasAdminOrgs) return PERMISSION.use
  if (stored && hasPermission(bits, stored)) return stored
  return (bits & ADMIN_PAGE_BITS) !== 0 ? bits & ADMIN_PAGE_BITS : PERMISSION.use
}

/** The stored role that shows the other area of pages; undefined when the bits do not allow it. */
export function otherRole(bits: number, role: number): number | undefined {
  const other = hasPermission(role, PERMISSION.use) ? bits & ADMIN_PAGE_BITS : bits & PERMISSION.use
  return other === 0 ? undefined : other
}

const key = (username: string) => `jms_current_role_${username}`

/** The role this person chose last, if any. */
export function storedRole(username: string): number | undefined {
  const value = Number(localStorage.getItem(key(username)))
  return Number.isInteger(value) && value > 0 ? value : undefined
}

/** Remembers the choice, or forgets it. */
export function storeRole(username: string, role: number | undefined): void {
  if (role === undefined) localStorage.removeItem(key(username))
  else localStorage.setItem(key(username), String(role))
}
