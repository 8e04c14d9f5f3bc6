import { sql } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { orgsMembership } from '../../orgs/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { usersAccount } from '../../users/index.ts'

/**
 * Whether a shared session of an organization is open to a person: to its members, to those who
 * administer or audit all organizations, and where SECURITY_SESSION_SHARE_OUTSIDE says so to
 * everybody.
 */
export async function mayJoin(kernel: Kernel, person: string, orgId: string): Promise<boolean> {
  if (settingsOf(kernel).get('SECURITY_SESSION_SHARE_OUTSIDE')) return true
  if (!isUuid(person)) return false
  const { rows } = await kernel.db.execute(sql`
    SELECT 1 FROM ${usersAccount} WHERE ${usersAccount.id} = ${person} AND ${usersAccount.role} IN ('Admin', 'Auditor')
    UNION ALL SELECT 1 FROM ${orgsMembership}
      WHERE ${orgsMembership.user_id} = ${person} AND ${orgsMembership.org_id} = ${orgId}
    LIMIT 1`)
  return rows.length > 0
}
