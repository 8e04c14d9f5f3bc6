import { type SQL, sql } from 'drizzle-orm'
import { grantFamilies, targetColumn } from '../families.ts'
import { permissionsOf } from '../grants.ts'
import { fitConditions } from '../may-connect.ts'
import { isValidSql } from '../validity.ts'

/**
 * Query of every way by which a person reaches something now: a permission, the node by which it covers
 * the target (null where it names the target), the target, the system user with what makes a login of it,
 * and the permission's actions. All ways to one pair of target and system user together are what `mayConnect` answers.
 */
export function waysOf(userId: string): SQL {
  const families = grantFamilies().map((family) => {
    const { family: name, targets, inNodes } = family
    const named = sql`
      SELECT pt.permission, NULL::uuid AS node, ${targetColumn(name)} AS target
      FROM p JOIN perms_permission_target pt ON pt.permission = p.id WHERE ${targetColumn(name)} IS NOT NULL`
    const inNode = sql`
      SELECT pn.permission, pn.node, an.asset_id FROM p JOIN perms_permission_node pn ON pn.permission = p.id
      JOIN assets_listed_node n ON n.id = pn.node JOIN assets_listed_node below ON below.path <@ n.path
      JOIN assets_asset_in_node an ON an.node_id = below.id`
    return sql`(
      WITH p AS MATERIALIZED (
        SELECT one.*, q.name FROM (${permissionsOf({ family: name, subject: { userId }, orgId: undefined })}) one
        JOIN perms_permission q ON q.id = one.id),
      covered AS (${named} ${inNodes ? sql`UNION ALL ${inNode}` : sql``})
      SELECT ${name} AS family, p.id AS permission, p.name AS permission_name, c.node, t.id AS target, s.id AS account, s.protocol, s.username,
        s.login_mode, s.username_same_with_user, p.actions
      FROM covered c JOIN p ON p.id = c.permission JOIN ${targets} t ON t.id = c.target
      JOIN perms_permission_system_user ps ON ps.permission = p.id
      JOIN assets_listed_system_user s ON s.id = ps.systemuser
      JOIN users_account u ON u.id = ${userId}::uuid
      WHERE ${sql.join(Object.values(fitConditions(family)), sql` AND `)})`
  })
  return sql.join(families, sql` UNION ALL `)
}

/**
 * Query of the permissions that count for each of these people: people with the same ones reach the same,
 * but for service identities that are limited beside that.
 */
export const permissionsByPerson = (people: SQL): SQL => sql`
  SELECT named.person, array_agg(named.permission ORDER BY named.permission) AS permissions
  FROM (SELECT pu."user" AS person, pu.permission FROM perms_permission_user pu WHERE pu."user" IN (${people})
    UNION SELECT m.user_id, pg.permission FROM users_group_member m
    JOIN perms_permission_user_group pg ON pg.usergroup = m.group_id WHERE m.user_id IN (${people})) named
  JOIN perms_permission p ON p.id = named.permission AND ${isValidSql()}
  JOIN orgs_membership om ON om.user_id = named.person AND om.org_id = p.org_id
  JOIN users_account u ON u.id = named.person AND u.is_valid
  GROUP BY named.person`
