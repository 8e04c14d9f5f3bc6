import type { OrgRole, SystemRole } from '@sallyport/contract/access.ts'
import type { Call } from '../../../kernel/access/call.ts'
import type { Kernel } from '../../../kernel/kernel.ts'

/** See `Kernel.callerNow`. */
export async function callerNow({ pool }: Kernel, call: Call): Promise<Call | undefined> {
  const { user, org } = call
  if (!user) return undefined
  const { rows } = await pool.query<{ name: string; username: string; role: SystemRole; org_roles: OrgRole[] | null }>(
    `SELECT u.name, u.username, u.role, (SELECT array_agg(m.role) FROM orgs_membership m WHERE m.org_id = $2 AND m.user_id = u.id) AS org_roles
     FROM users_account u WHERE u.id = $1 AND u.is_valid`,
    [user.id, org.id],
  )
  const [now] = rows
  if (!now) return undefined
  return {
    ...call,
    user: { ...user, name: now.name, username: now.username, role: now.role },
    orgRoles: now.org_roles ?? [],
  }
}
