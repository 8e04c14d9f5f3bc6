import type { Target } from '@sallyport/contract/target.ts'
import { eq, sql } from 'drizzle-orm'
import { permsTarget } from '../../../../domains/perms/index.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { plainText } from '../../../prompt/plain-text.ts'

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

/** Organizations of a person in which a machine of one name is looked for. */
const MAX_NAMESAKES = 5

/**
 * Machines of a name, an address or an id in the person's organizations, one for each, whether or not
 * anything was granted there: for the log alone.
 */
export async function namesakesOf(
  { db }: Kernel,
  personId: string,
  { asset, systemUser }: { asset: string; systemUser: string },
): Promise<ForwardingTarget[]> {
  const { rows } = await db.execute<{ id: string; org_id: string; name: string; address: string }>(sql`
    SELECT DISTINCT ON (t.org_id) t.id, t.org_id, t.name, t.address FROM ${permsTarget} t
    WHERE t.family = 'asset' AND (t.name = ${asset} OR t.address = ${asset} OR t.id::text = lower(${asset}))
      AND t.org_id IN (SELECT org_id FROM orgs_membership WHERE user_id = ${personId}::uuid)
    ORDER BY t.org_id, t.id LIMIT ${MAX_NAMESAKES}`)
  return rows.map(({ id, org_id, name, address }) => ({
    target: { family: 'asset', id },
    systemUserId: '',
    orgId: org_id,
    asset: `${name}(${address})`,
    systemUser: plainText(systemUser),
    address,
    protocol: '',
  }))
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
