import { ACTION_BITS } from '@sallyport/contract/actions.ts'
import { COACH_DAYS } from '@sallyport/contract/resources/reviews/access-proposal.ts'
import { type SQL, sql } from 'drizzle-orm'
import { usedPermissions, usesOfGrants, widelyReached } from '../../perms/standing/index.ts'
import { waysOfSessions } from '../start.ts'

/** Rights that end later than in so many days are standing. */
const STANDING_DAYS = 365
/** Use within so many days of each other, which ended at least so many days ago, was for a while. */
const WHILE_DAYS = 14
const SINCE_DAYS = 30
/** Such a right then ends in so many days, in which people can ask for it again. */
const NOTICE_DAYS = 7

const window = sql`make_interval(days => ${COACH_DAYS})`

const change = (body: SQL) => sql`jsonb_build_object(
  'resource', p.family || '_permission',
  'path', '/api/v1/perms/' || p.family || '-permissions/',
  'id', p.id, 'body', ${body})`

/** Files that went up or down in the window, as ways that `usesOfGrants` takes; those without a session were of any account. */
const waysOfFiles = (orgId: string, isDownload: boolean) => sql`
  SELECT f.user_id, 'asset' AS family, f.asset_id AS target_id, s.id AS system_user_id,
    min(f.date_start) AS first_use, max(f.date_start) AS last_use, count(*) AS uses
  FROM audits_listed_file f LEFT JOIN terminal_listed_session t ON t.id = f.session_id
    LEFT JOIN assets_listed_system_user s ON s.id::text = t.system_user_id
  WHERE f.org_id = ${orgId}::uuid AND f.date_start > now() - ${window} AND f.user_id IS NOT NULL AND f.asset_id IS NOT NULL
    AND (f.operate = 'Download') = ${isDownload}
  GROUP BY 1, 2, 3, 4`

const permissionsByFiles = (orgId: string, isDownload: boolean) => sql`
  SELECT g.permission FROM (${usesOfGrants(orgId, waysOfFiles(orgId, isDownload))}) g`

/**
 * Query of all that is found in an organization: `kind`, `object_type`, `object_id`, `object_name`,
 * `facts`, `change`. Whole numbers of the facts are counts, dates Unix seconds.
 * @param many people above whose number assets are named
 */
export const findings = (orgId: string, many: number): SQL => sql`
  WITH older AS MATERIALIZED (${usedPermissions(orgId, waysOfSessions(orgId), COACH_DAYS)}),
  going_up AS MATERIALIZED (${permissionsByFiles(orgId, false)}),
  going_down AS MATERIALIZED (${permissionsByFiles(orgId, true)}),
  actions AS (
    SELECT p.*, CASE WHEN p.id IN (SELECT permission FROM going_up) THEN 0 ELSE p.actions & ${ACTION_BITS.upload_file} END
      | CASE WHEN p.id IN (SELECT permission FROM going_down) THEN 0 ELSE p.actions & ${ACTION_BITS.download_file} END AS idle
    FROM older p WHERE p.family = 'asset' AND p.uses > 0),
  people AS (
    SELECT u.id, u.name || '(' || u.username || ')' AS name, a.date_joined,
      greatest(a.last_login, (SELECT max(t.date_start) FROM terminal_listed_session t WHERE t.user_id = u.id::text)) AS last_seen
    FROM users_person u JOIN users_activity a ON a.id = u.id
    WHERE u.is_valid AND a.date_joined < now() - ${window}
      AND (a.last_login IS NULL OR a.last_login < now() - ${window})
      AND EXISTS (SELECT 1 FROM orgs_membership m WHERE m.user_id = u.id AND m.org_id = ${orgId}::uuid)
      AND NOT EXISTS (SELECT 1 FROM orgs_membership m WHERE m.user_id = u.id AND m.org_id <> ${orgId}::uuid))
  SELECT 'unused_permission' AS kind, p.family || '_permission' AS object_type, p.id AS object_id, p.name AS object_name,
    jsonb_build_object('last_use', floor(date_part('epoch', p.last_use)), 'date_created', floor(date_part('epoch', p.date_created))) AS facts,
    ${change(sql`jsonb_build_object('is_active', false)`)} AS change
  FROM older p WHERE p.uses = 0
  UNION ALL
  SELECT 'unused_action', 'asset_permission', p.id, p.name,
    jsonb_build_object('actions', p.idle, 'uses', p.uses, 'last_use', floor(date_part('epoch', p.last_use))),
    ${change(sql`jsonb_build_object('mask', p.actions & ~p.idle)`)}
  FROM actions p WHERE p.idle <> 0
  UNION ALL
  SELECT 'used_for_a_while', p.family || '_permission', p.id, p.name,
    jsonb_build_object('first_use', floor(date_part('epoch', p.first_use)), 'last_use', floor(date_part('epoch', p.last_use)), 'uses', p.uses),
    ${change(sql`jsonb_build_object('days', ${NOTICE_DAYS}::int)`)}
  FROM older p
  WHERE p.uses > 0 AND p.date_expired > now() + make_interval(days => ${STANDING_DAYS})
    AND p.last_use - p.first_use < make_interval(days => ${WHILE_DAYS})
    AND p.last_use < now() - make_interval(days => ${SINCE_DAYS})
  UNION ALL
  SELECT 'idle_person', 'user', p.id, p.name,
    jsonb_build_object('last_seen', floor(date_part('epoch', p.last_seen)), 'date_joined', floor(date_part('epoch', p.date_joined))),
    jsonb_build_object('resource', 'user', 'path', '/api/v1/users/users/', 'id', p.id, 'body', jsonb_build_object('is_active', false))
  FROM people p WHERE p.last_seen IS NULL OR p.last_seen < now() - ${window}
  UNION ALL
  SELECT 'many_people', 'asset', md5(w.permissions::text)::uuid, w.names[1],
    jsonb_build_object('people', w.people, 'assets', w.assets, 'names', to_jsonb(w.names), 'permissions', to_jsonb(w.permissions)), NULL
  FROM (${widelyReached(orgId, many)}) w`
