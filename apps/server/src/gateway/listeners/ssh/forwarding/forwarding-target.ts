import type { Target } from '@sallyport/contract/target.ts'
import { eq, sql } from 'drizzle-orm'
import { permsTarget } from '../../../../domains/perms/index.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'

/** The machine that connections are forwarded from, and as whom, as their log names them. */
export interface ForwardingTarget {
  target: Target
  systemUserId: string
  orgId: string
  asset: string
  systemUser: string
  address: string
  /** How the system user signs in. */
  protocol: string
}

/** Undefined where it has been removed meanwhile. */
export async function loadForwardingTarget(
  { db }: Kernel,
  { target, systemUserId }: { target: Target; systemUserId: string },
): Promise<ForwardingTarget | undefined> {
  const { id, org_id, name, address } = permsTarget
  const [row] = await db
    .select({
      orgId: org_id,
      name,
      address,
      protocol: sql<
        string | null
      >`(SELECT s.protocol FROM assets_listed_system_user s WHERE s.id = ${systemUserId}::uuid)`,
      systemUser: sql<string | null>`(
        SELECT s.name || '(' || s.username || ')' FROM assets_listed_system_user s WHERE s.id = ${systemUserId}::uuid)`,
    })
    .from(permsTarget)
    .where(eq(id, target.id))
    .limit(1)
  if (!row?.systemUser || !row.protocol) return undefined
  const { orgId, systemUser, protocol } = row
  return {
    target,
    systemUserId,
    orgId,
    asset: `${row.name}(${row.address})`,
    systemUser,
    address: row.address,
    protocol,
  }
}
