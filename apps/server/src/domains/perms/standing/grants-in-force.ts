import { type SQL, sql } from 'drizzle-orm'
import { PLACES } from '../preview/places.ts'

/** The facts of a permission, as they are kept of a moment: names of a few, and digests of all. */
export interface StandingFacts extends Record<string, unknown> {
  is_active: boolean
  /** Bits of `ACTION_BITS`. */
  actions: number
  /** Unix seconds. */
  date_start: number
  date_expired: number
  databases: string[]
  /** Where connections may be forwarded to; missing in facts of earlier releases. */
  forwarding?: string[]
  /** The first names, how many there are, and a digest of all ids. */
  targets: NamedMany
  nodes: NamedMany
  system_users: NamedMany
}

export interface NamedMany {
  names: string[]
  amount: number
  digest: string
}

/** Names that are kept of each list; the rest is counted. */
const NAMED = 20

/** SQL: a `NamedMany` of a query of `id` and `name`. */
const named = (rows: SQL) => sql`(
  SELECT jsonb_build_object(
    'names', coalesce(jsonb_agg(x.name ORDER BY x.name, x.id) FILTER (WHERE x.place <= ${NAMED}), '[]'),
    'amount', count(*),
    'digest', coalesce(md5(string_agg(x.id::text, ',' ORDER BY x.id)), ''))
  FROM (SELECT r.id, r.name, row_number() OVER (ORDER BY r.name, r.id) AS place FROM (${rows}) r) x)`

/** SQL of the `StandingFacts` of the permission `p`. */
export const standingFacts = (): SQL => sql`jsonb_build_object(
  'is_active', p.is_active,
  'actions', p.actions,
  'date_start', floor(date_part('epoch', p.date_start)),
  'date_expired', floor(date_part('epoch', p.date_expired)),
  'databases', to_jsonb(p.databases),
  'forwarding', CASE p.family WHEN 'asset' THEN to_jsonb(${PLACES}) ELSE '[]' END,
  'targets', ${named(sql`
    SELECT a.id, a.hostname AS name FROM perms_permission_target pt JOIN assets_listed_asset a ON a.id = pt.asset
    WHERE pt.permission = p.id
    UNION ALL
    SELECT a.id, a.name FROM perms_permission_target pt JOIN applications_listed_application a ON a.id = pt.application
    WHERE pt.permission = p.id`)},
  'nodes', ${named(sql`
    SELECT n.id, n.full_value AS name FROM perms_permission_node pn JOIN assets_listed_node n ON n.id = pn.node
    WHERE pn.permission = p.id`)},
  'system_users', ${named(sql`
    SELECT s.id, s.name FROM perms_permission_system_user ps JOIN assets_listed_system_user s ON s.id = ps.systemuser
    WHERE ps.permission = p.id`)})`

/**
 * Query of what permissions give now: `permission`, `facts`. `permissions` is a query of their ids.
 */
export const factsNow = (permissions: SQL): SQL => sql`
  SELECT p.id AS permission, ${standingFacts()} AS facts FROM perms_permission p WHERE p.id IN (${permissions})`

/** Query of grants that exist, in force or not: `permission`, `subject_kind`, `subject`. */
export const grantPairs = (permissions: SQL): SQL => sql`
  SELECT pu.permission, 'user' AS subject_kind, pu."user" AS subject FROM perms_permission_user pu
  WHERE pu.permission IN (${permissions})
  UNION ALL
  SELECT pg.permission, 'group', pg.usergroup FROM perms_permission_user_group pg
  WHERE pg.permission IN (${permissions})`

/**
 * Query of the ids of an organization's permissions that are switched on and have not ended, alone
 * or those among `only`.
 */
export const permissionsInForce = (orgId: string, only?: SQL): SQL => sql`
  SELECT p.id FROM perms_permission p
  WHERE p.org_id = ${orgId}::uuid AND p.is_active AND p.date_expired > now()${only ? sql` AND p.id IN (${only})` : sql``}`

/**
 * Query of the grants of permissions, one row for each person or group that a permission names:
 * `permission`, `permission_name`, `family`, `subject_kind`, `subject`, `subject_name`,
 * `members_amount`, `facts`, `date_expired`, and `creator`: the member of the organization who is
 * known by the name of the permission's creator, if one alone is.
 * @param permissions query of ids
 */
export const standingGrants = (orgId: string, permissions: SQL): SQL => sql`
  WITH wanted AS MATERIALIZED (${permissions}),
  members AS MATERIALIZED (
    SELECT m.group_id, count(*)::int AS amount FROM users_group_member m
    WHERE m.group_id IN (SELECT pg.usergroup FROM perms_permission_user_group pg WHERE pg.org_id = ${orgId}::uuid)
    GROUP BY m.group_id),
  creators AS MATERIALIZED (
    SELECT left(u.name, 30) AS name, min(u.id::text)::uuid AS id FROM users_person u
    WHERE u.is_valid AND u.id IN (SELECT om.user_id FROM orgs_membership om WHERE om.org_id = ${orgId}::uuid)
    GROUP BY 1 HAVING count(*) = 1),
  facts AS MATERIALIZED (
    SELECT p.id, p.name, p.family, p.date_expired, p.created_by, ${standingFacts()} AS facts
    FROM perms_permission p WHERE p.id IN (SELECT id FROM wanted)),
  pairs AS (
    SELECT pu.permission, 'user' AS subject_kind, u.id AS subject, u.name || '(' || u.username || ')' AS subject_name,
      1 AS members_amount
    FROM perms_permission_user pu JOIN users_account u ON u.id = pu."user"
    WHERE pu.permission IN (SELECT id FROM wanted)
    UNION ALL
    SELECT pg.permission, 'group', g.id, g.name, coalesce(m.amount, 0)
    FROM perms_permission_user_group pg JOIN users_listed_group g ON g.id = pg.usergroup
      LEFT JOIN members m ON m.group_id = g.id
    WHERE pg.permission IN (SELECT id FROM wanted))
  SELECT pairs.permission, f.name AS permission_name, f.family, pairs.subject_kind, pairs.subject, pairs.subject_name,
    pairs.members_amount, f.facts, f.date_expired, c.id AS creator
  FROM pairs JOIN facts f ON f.id = pairs.permission LEFT JOIN creators c ON c.name = f.created_by`
