import { type Call, isOrgAdmin, isSuperAdmin } from '../../kernel/access/call.ts'
import type { usersUser } from './tables.ts'

/** What decides who may change somebody. */
type Judged = Pick<typeof usersUser.$inferSelect, 'id' | 'role' | 'username'>

/** The built-in account: always a super administrator, always active, never deleted. */
export const BUILT_IN_ADMIN = 'admin'

/**
 * A super administrator may change everybody; an organization's administrator themselves, and
 * everybody without a system role (docs/rules/users.md#can_update).
 */
export function mayUpdate(call: Call, row: Omit<Judged, 'username'>): boolean {
  if (!isOrgAdmin(call)) return false
  return row.id === call.user?.id || isSuperAdmin(call) || (row.role !== 'Admin' && row.role !== 'Auditor')
}

/**
 * Nobody may delete themselves or the built-in administrator; an organization's administrator no
 * fellow administrators either (`can_delete`).
 */
export function mayDelete(call: Call, row: Judged, orgRoles: readonly string[]): boolean {
  if (!isOrgAdmin(call) || row.id === call.user?.id || row.username === BUILT_IN_ADMIN) return false
  return isSuperAdmin(call) || (row.role !== 'Admin' && row.role !== 'Auditor' && !orgRoles.includes('Admin'))
}
