import { ACTION_BITS } from '@sallyport/contract/actions.ts'
import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { assetFamily, nodesAbove } from './families.ts'
import { isValidSql } from './validity.ts'

/** People who may connect to an asset as one of its accounts. */
export interface PeopleOfAccount {
  count: number
  /** The first of them by name. */
  names: string[]
}

/** Names that one answer has room for; the others are counted. */
const NAMED = 10

/**
 * The people who may connect as each of these accounts now, in their order: by a valid permission
 * that covers the asset and names a system user with that user name, or one that takes the person's
 * own. One query for any number of accounts.
 */
export async function peopleOfAccounts(
  db: Database,
  accounts: readonly { asset: string; username: string }[],
): Promise<PeopleOfAccount[]> {
  const { rows } = await db.execute<PeopleOfAccount & Record<string, unknown>>(sql`
    WITH asked AS (
      SELECT * FROM unnest(${sql.param(accounts.map(({ asset }) => asset))}::uuid[],
        ${sql.param(accounts.map(({ username }) => username))}::text[]) WITH ORDINALITY AS a (asset, username, place)),
    used AS (
      SELECT DISTINCT a.place, a.username, p.id AS permission, p.org_id, s.username_same_with_user AS is_own_name
      FROM asked a JOIN ${assetFamily.targets} t ON t.id = a.asset AND ${assetFamily.isActive}
      CROSS JOIN LATERAL (
        SELECT pt.permission FROM perms_permission_target pt WHERE pt.asset = a.asset
        UNION SELECT pn.permission FROM perms_permission_node pn
        WHERE pn.node IN (${nodesAbove('asset', sql`a.asset`)})) reaching
      JOIN perms_permission p ON p.id = reaching.permission AND p.family = 'asset' AND ${isValidSql()}
        AND p.actions & ${ACTION_BITS.connect} <> 0
      JOIN perms_permission_system_user ps ON ps.permission = p.id
      JOIN assets_listed_system_user s ON s.id = ps.systemuser AND ${assetFamily.fits}
        AND (s.username = a.username OR s.username_same_with_user)),
    people AS (
      SELECT DISTINCT used.place, u.id, u.name || '(' || u.username || ')' AS name
      FROM used CROSS JOIN LATERAL (
        SELECT pu."user" AS id FROM perms_permission_user pu WHERE pu.permission = used.permission
        UNION SELECT m.user_id FROM perms_permission_user_group pg JOIN users_group_member m ON m.group_id = pg.usergroup
        WHERE pg.permission = used.permission) named
      JOIN users_account u ON u.id = named.id AND u.is_valid AND (NOT used.is_own_name OR u.username = used.username)
      WHERE EXISTS (SELECT 1 FROM orgs_membership om WHERE om.user_id = u.id AND om.org_id = used.org_id))
    SELECT count(people.id)::int AS count,
      coalesce((array_agg(people.name ORDER BY people.name) FILTER (WHERE people.id IS NOT NULL))[1:${sql.raw(String(NAMED))}], '{}') AS names
    FROM asked LEFT JOIN people ON people.place = asked.place GROUP BY asked.place ORDER BY asked.place`)
  return rows.map(({ count, names }) => ({ count, names }))
}
