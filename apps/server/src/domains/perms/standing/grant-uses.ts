import { type SQL, sql } from 'drizzle-orm'

/**
 * Query of the use that was made of grants: `permission`, `subject_kind`, `subject`, `first_use`,
 * `last_use`, `uses`. A session counts for every permission that let it in: one that names the person or a
 * group of theirs, the target or a node above it, and the system user, as they are now. Where
 * a component has not said the system user, any will do.
 * @param uses query of `user_id`, `family`, `target_id`, `system_user_id`, `first_use`, `last_use`, `uses`:
 * one row for each way on which there were sessions, within the organization
 */
export const usesOfGrants = (orgId: string, uses: SQL): SQL => sql`
  WITH used AS MATERIALIZED (${uses}),
  above AS MATERIALIZED (
    SELECT DISTINCT un.asset_id, un.node_id FROM assets_asset_under_node un
    WHERE un.asset_id IN (SELECT target_id FROM used WHERE family = 'asset')),
  named AS (
    SELECT pu.permission, 'user' AS subject_kind, pu."user" AS subject, pu."user" AS person
    FROM perms_permission_user pu WHERE pu.org_id = ${orgId}::uuid
    UNION ALL
    SELECT pg.permission, 'group', pg.usergroup, m.user_id
    FROM perms_permission_user_group pg JOIN users_group_member m ON m.group_id = pg.usergroup
    WHERE pg.org_id = ${orgId}::uuid),
  covered AS (
    SELECT pt.permission, 'asset' AS family, pt.asset AS target_id FROM perms_permission_target pt
    WHERE pt.org_id = ${orgId}::uuid AND pt.asset IN (SELECT target_id FROM used)
    UNION
    SELECT pt.permission, 'application', pt.application FROM perms_permission_target pt
    WHERE pt.org_id = ${orgId}::uuid AND pt.application IN (SELECT target_id FROM used)
    UNION
    SELECT pn.permission, 'asset', above.asset_id FROM perms_permission_node pn JOIN above ON above.node_id = pn.node
    WHERE pn.org_id = ${orgId}::uuid),
  matching AS (
    SELECT c.permission, u.* FROM used u
      JOIN covered c ON c.family = u.family AND c.target_id = u.target_id
      JOIN perms_permission_system_user ps ON ps.permission = c.permission AND ps.systemuser = u.system_user_id
    UNION ALL
    SELECT c.permission, u.* FROM used u
      JOIN covered c ON c.family = u.family AND c.target_id = u.target_id
    WHERE u.system_user_id IS NULL)
  SELECT n.permission, n.subject_kind, n.subject, min(u.first_use) AS first_use, max(u.last_use) AS last_use,
    sum(u.uses)::int AS uses
  FROM matching u JOIN named n ON n.permission = u.permission AND n.person = u.user_id
  GROUP BY n.permission, n.subject_kind, n.subject`
