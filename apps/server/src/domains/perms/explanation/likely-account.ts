import { ACTION_BITS } from '@sallyport/contract/actions.ts'
import { sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { grantFamily } from '../families.ts'
import { naming } from '../grants.ts'
import { type ConnectQuestion, usableSystemUsers } from '../may-connect.ts'

/**
 * The system user that a question about a person and a target most likely means: one that the person
 * may use there; else one that fits and that a permission of the person has; else one that fits. Undefined
 * when the organization has none.
 */
export async function likelyAccount(
  db: Database,
  { userId, target, orgId }: Omit<ConnectQuestion, 'systemUserId'> & { orgId: string },
): Promise<string | undefined> {
  const family = grantFamily(target.family)
  if (!family) return undefined
  const usable = await usableSystemUsers(db, { subject: { userId }, orgId }, target)
  const mine = usable?.find(({ mask }) => mask & ACTION_BITS.connect) ?? usable?.[0]
  if (mine) return mine.id
  const { rows } = await db.execute<{ id: string }>(sql`
    SELECT s.id FROM assets_listed_system_user s JOIN ${family.targets} t ON t.id = ${target.id}::uuid AND t.org_id = s.org_id
    WHERE s.type = 'common'
    ORDER BY ${family.fits} DESC, EXISTS (
      SELECT 1 FROM perms_permission_system_user ps WHERE ps.systemuser = s.id AND ps.permission IN (${naming({ userId })})) DESC, s.priority, s.name, s.id LIMIT 1`)
  return rows[0]?.id
}
