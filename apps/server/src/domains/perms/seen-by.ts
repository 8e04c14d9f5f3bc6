import type { Target } from '@sallyport/contract/target.ts'
import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { grantFamilies } from './families.ts'
import { permissionsOf } from './grants.ts'
import { nodesAboveOne, reachesOne } from './may-connect.ts'

/**
 * Whether a valid permission of the person, in whatever organization, covers the target: what none
 * covers does not exist for them, and no answer tells the two apart.
 */
export async function seesTarget(db: Database, userId: string, target: Target): Promise<boolean> {
  const { rows } = await db.execute(sql`
    WITH above AS MATERIALIZED (${nodesAboveOne(target)}),
    p AS MATERIALIZED (${permissionsOf({ family: target.family, subject: { userId }, orgId: undefined })})
    SELECT 1 FROM p WHERE ${reachesOne(target)} LIMIT 1`)
  return rows.length > 0
}

/** Whether a valid permission of the person, for targets of any family, names the system user. */
export async function isGrantedSystemUser(db: Database, userId: string, systemUserId: string): Promise<boolean> {
  const named = grantFamilies().map(
    ({ family }) => sql`EXISTS (${permissionsOf({ family, subject: { userId }, orgId: undefined, systemUserId })})`,
  )
  const { rows } = await db.execute<{ seen: boolean }>(sql`SELECT ${sql.join(named, sql` OR `)} AS seen`)
  return rows[0]?.seen ?? false
}
