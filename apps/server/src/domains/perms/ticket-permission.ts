import { actionNames } from '@sallyport/contract/actions.ts'
import type { TargetFamily } from '@sallyport/contract/target.ts'
import { and, eq } from 'drizzle-orm'
import type { Call } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { resourcesOf } from '../../kernel/resource/registry.ts'
import { createRow } from '../../kernel/resource/write.ts'
import { grantFamily } from './families.ts'
import { permsPermission } from './tables.ts'

/** The grant of an approved ticket, all of it in the ticket's organization. */
export interface AppliedGrant {
  family: TargetFamily
  /** The ticket's id, which becomes the permission's. */
  id: string
  org: { id: string; name: string }
  name: string
  comment: string
  user: string
  /** The targets, by field of the family's permission: for assets `assets` and `nodes`. */
  targets: Readonly<Record<string, unknown>>
  system_users: readonly string[]
  /** Bits of `ACTION_BITS`. */
  actions: number
  date_start: Date
  date_expired: Date
}

/** Whether the organization has a permission of that name, of any family. */
export async function isPermissionName(db: Database, orgId: string, name: string): Promise<boolean> {
  const { org_id, name: column, id } = permsPermission
  const [found] = await db
    .select({ id })
    .from(permsPermission)
    .where(and(eq(org_id, orgId), eq(column, name)))
    .limit(1)
  return found !== undefined
}

/**
 * Grants what a ticket was approved for, in the way and with the checks of a permission that an
 * administrator writes, in the caller's name. Throws 400, such as for a name that was taken
 * meanwhile. `db` is the transaction of the approval, which holds the ticket: nothing is granted
 * twice.
 */
export async function grantByTicket(kernel: Kernel, db: Database, call: Call, applied: AppliedGrant): Promise<void> {
  const { id, family, org, user, targets, actions, date_start, date_expired, ...draft } = applied
  const permissions = resourcesOf(kernel).find(grantFamily(family)?.permission.resource ?? '')
  if (!permissions) throw new Error(`permissions about ${family} are not mounted`)
  const body = {
    ...draft,
    ...targets,
    id,
    users: [user],
    actions: actionNames(actions),
    date_start: date_start.toISOString(),
    date_expired: date_expired.toISOString(),
  }
  await createRow(permissions, body, { kernel, db, call: { ...call, org }, parameters: {}, query: {} })
  await db
    .update(permsPermission)
    .set({ from_ticket: true, created_by: `Ticket:${id}` })
    .where(eq(permsPermission.id, id))
}
