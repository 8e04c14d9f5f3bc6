import { type SQL, sql } from 'drizzle-orm'
import { usesOfGrants } from './grant-uses.ts'
import { permissionsInForce } from './grants-in-force.ts'

/**
 * Query of an organization's permissions in force that are older than so many days, with the use that
 * was made of them: `id`, `name`, `family`, `actions`, `date_created`, `date_expired`, `first_use`,
 * `last_use`, `uses`.
 * @param uses as `usesOfGrants` takes them
 */
export const usedPermissions = (orgId: string, uses: SQL, days: number): SQL => sql`
  SELECT p.id, p.name, p.family, p.actions, p.date_created, p.date_expired, u.first_use, u.last_use,
    coalesce(u.uses, 0)::int AS uses
  FROM perms_permission p
    LEFT JOIN (
      SELECT permission, min(first_use) AS first_use, max(last_use) AS last_use, sum(uses) AS uses
      FROM (${usesOfGrants(orgId, uses)}) g GROUP BY permission) u ON u.permission = p.id
  WHERE p.id IN (${permissionsInForce(orgId)})
    AND greatest(p.date_created, p.date_start) < now() - make_interval(days => ${days})`

/** Sets of permissions that are named at most. */
const MOST = 500
/**
 * Sets of which people are told apart. They are those with the most people by the sums of their permissions: to
 * count everybody on the way to each of 100,000 machines takes minutes.
 */
const MOST_COUNTED = 10 * MOST

/**
 * Query of machines that more people than `many` reach, grouped by the permissions that lead there:
 * `permissions`, `assets`, `names` of the first five, `people`. Those with the most come first.
 */
export const widelyReached = (orgId: string, many: number): SQL => sql`
  WITH opening AS MATERIALIZED (
    SELECT p.id FROM perms_permission p
    WHERE p.id IN (${permissionsInForce(orgId)}) AND p.family = 'asset' AND p.date_start < now() AND p.actions & 1 <> 0
      AND EXISTS (SELECT 1 FROM perms_permission_system_user ps WHERE ps.permission = p.id)),
  covered AS (
    SELECT pt.asset, pt.permission FROM perms_permission_target pt JOIN opening o ON o.id = pt.permission
    UNION
    SELECT un.asset_id, pn.permission FROM perms_permission_node pn JOIN opening o ON o.id = pn.permission
      JOIN assets_asset_under_node un ON un.node_id = pn.node),
  ways AS (
    SELECT a.hostname, array_agg(c.permission ORDER BY c.permission) AS permissions
    FROM covered c JOIN assets_listed_asset a ON a.id = c.asset AND a.is_active GROUP BY a.id, a.hostname),
  alike AS MATERIALIZED (
    SELECT row_number() OVER () AS id, permissions, count(*)::int AS assets,
      (array_agg(hostname ORDER BY hostname))[1:5] AS names
    FROM ways GROUP BY permissions),
  people AS MATERIALIZED (
    SELECT n.permission, n.person FROM (
      SELECT pu.permission, pu."user" AS person FROM perms_permission_user pu JOIN opening o ON o.id = pu.permission
      UNION
      SELECT pg.permission, m.user_id FROM perms_permission_user_group pg JOIN opening o ON o.id = pg.permission
        JOIN users_group_member m ON m.group_id = pg.usergroup) n
    WHERE n.person IN (
      SELECT u.id FROM users_account u JOIN orgs_membership om ON om.user_id = u.id AND om.org_id = ${orgId}::uuid
      WHERE u.is_valid)),
  sizes AS MATERIALIZED (SELECT permission, count(*) AS n FROM people GROUP BY permission),
  widest AS MATERIALIZED (
    SELECT s.id FROM alike s CROSS JOIN LATERAL unnest(s.permissions) AS one (permission)
      JOIN sizes ON sizes.permission = one.permission
    GROUP BY s.id HAVING sum(sizes.n) > ${many}::int ORDER BY sum(sizes.n) DESC, s.id LIMIT ${MOST_COUNTED}),
  counted AS (
    SELECT s.id, count(DISTINCT pe.person)::int AS people
    FROM widest JOIN alike s USING (id) CROSS JOIN LATERAL unnest(s.permissions) AS one (permission)
      JOIN people pe ON pe.permission = one.permission
    GROUP BY s.id HAVING count(DISTINCT pe.person) > ${many}::int)
  SELECT s.permissions, s.assets, s.names, counted.people FROM counted JOIN alike s USING (id)
  ORDER BY people DESC LIMIT ${MOST}`
