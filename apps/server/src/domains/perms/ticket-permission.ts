import { actionNames } from '@sallyport/contract/actions.ts'
import { and, eq } from 'drizzle-orm'
import type { Call } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { resourcesOf } from '../../kernel/resource/registry.ts'
import { createRow } from '../../kernel/resource/write.ts'
import { permsAssetPermission } from './tables.ts'

/** What an approved ticket grants; all of it in the ticket's organisation. */
export interface AppliedAssets {
  /** The ticket's id, which becomes the permission's. */
  id: string
  org: { id: string; name: string }
  name: string
  comment: string
  user: string
  assets: readonly string[]
  nodes: readonly string[]
  system_users: readonly string[]
  /** Bits, see `ACTION_BITS`. */
  actions: number
  date_start: Date
  date_expired: Date
}

/** Whether a permission of that name exists in the organisation. */
export async function isPermissionName(db: Database, orgId: string, name: string): Promise<boolean> {
  const { org_id, name: column, id } = permsAssetPermission
  const [found] = await db
    .select({ id })
    .from(permsAssetPermission)
    .where(and(eq(org_id, orgId), eq(column, name)))
  return found !== undefined
}

/**
 * Grants what a ticket was approved for, by the same way as a permission that an administrator writes, in the name of the caller. Nothing happens when the
 * permission of that id exists already. Throws field-keyed 400s, such as for a name that was taken meanwhile. `db` is the transaction of the approval.
 */
export async function grantByTicket(kernel: Kernel, db: Database, call: Call, applied: AppliedAssets): Promise<void> {
  const { id, org, user, actions, date_start, date_expired, ...draft } = applied
  const [existing] = await db.select({ id: permsAssetPermission.id }).from(permsAssetPermission).where(eq(permsAssetPermission.id, id))
  if (existing) return
  const permissions = resourcesOf(kernel).find('asset_permission')
  if (!permissions) throw new Error('asset permissions are not mounted')
  const body = {
    ...draft,
    id,
    users: [user],
    actions: actionNames(actions),
    date_start: date_start.toISOString(),
    date_expired: date_expired.toISOString(),
  }
  await createRow(permissions, body, { kernel, db, call: { ...call, org }, parameters: {}, query: {} })
  await db
    .update(permsAssetPermission)
    .set({ from_ticket: true, created_by: `Ticket:${id}` })
    .where(eq(permsAssetPermission.id, id))
}
