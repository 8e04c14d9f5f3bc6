import type { TargetFamily } from '@sallyport/contract/target.ts'
import { type SQL, sql } from 'drizzle-orm'
import { targetLimits } from '../../../kernel/access/target-limits.ts'
import { type GrantFamily, targetColumn } from '../families.ts'
import { allows, inFamily } from '../grants.ts'
import { isValidSql } from '../validity.ts'

export interface Among {
  /** Query of the people's ids; undefined: paths begin at the permission. */
  users?: SQL
  /** Query of the targets' ids; undefined: paths end at the permission. */
  targets?: SQL
  /** Only paths by this permission. */
  permission?: string
}

/**
 * Query of every path by which one of these people can open a session on one of these targets now: rows
 * of `user_id`, `group_id` (null: the permission names the person), `permission`, `node_id` (null: it
 * names the target), `target_id`, `account` (a system user), `actions` (bits), `databases` and
 * `date_expired`. A triple of person, target and account is there exactly where `mayConnect` allows it.
 *
 * It is for a page of people or targets, or for the part that a change touches: all paths of a company
 * are more than anybody can list.
 */
export function pathsAmong(family: GrantFamily, { users, targets, permission }: Among): SQL {
  return sql`
    SELECT ${users ? sql`who.user_id, who.group_id` : sql`NULL::uuid AS user_id, NULL::uuid AS group_id`},
      p.id AS permission, ${targets ? sql`aim.node_id, aim.target_id` : sql`NULL::uuid AS node_id, NULL::uuid AS target_id`},
      s.id AS account, p.actions, p.databases, p.date_expired
    FROM perms_permission p
    ${users ? sql`JOIN (${naming(users)}) who ON who.permission = p.id` : sql``}
    ${targets ? sql`JOIN (${covering(family, targets)}) aim ON aim.permission = p.id JOIN ${family.targets} t ON t.id = aim.target_id` : sql``}
    JOIN perms_permission_system_user ps ON ps.permission = p.id
    JOIN assets_listed_system_user s ON s.id = ps.systemuser ${targets ? sql`AND s.org_id = t.org_id AND ${family.fits}` : sql``}
    WHERE ${inFamily({ family: family.family, orgId: undefined })} AND ${isValidSql()} AND ${allows('connect')}
      ${permission ? sql`AND p.id = ${permission}::uuid` : sql``}
      ${targets ? sql`AND ${family.isActive}` : sql``}
      ${targets && users ? sql`AND ${targetLimits.value.within(family.family, sql`t.id`, sql`who.user_id`)}` : sql``}
      ${
        users
          ? sql`AND EXISTS (SELECT 1 FROM users_account u JOIN orgs_membership om ON om.user_id = u.id
        WHERE u.id = who.user_id AND u.is_valid AND om.org_id = p.org_id)`
          : sql``
      }`
}

const naming = (users: SQL) => sql`
  SELECT pu.permission, pu."user" AS user_id, NULL::uuid AS group_id
  FROM perms_permission_user pu WHERE pu."user" IN (${users})
  UNION ALL
  SELECT pg.permission, m.user_id, m.group_id
  FROM users_group_member m JOIN perms_permission_user_group pg ON pg.usergroup = m.group_id WHERE m.user_id IN (${users})`

const covering = ({ family, inNodes }: GrantFamily, targets: SQL) => {
  const named = sql`
    SELECT pt.permission, ${targetColumn(family)} AS target_id, NULL::uuid AS node_id
    FROM perms_permission_target pt WHERE ${targetColumn(family)} IN (${targets})`
  return inNodes
    ? sql`${named} UNION ALL
      SELECT pn.permission, above.asset_id, above.node_id
      FROM (SELECT DISTINCT asset_id, node_id FROM assets_asset_under_node WHERE asset_id IN (${targets})) above
      JOIN perms_permission_node pn ON pn.node = above.node_id`
    : named
}

/** A query of given ids. */
export const theseIds = (ids: readonly string[]): SQL => sql`SELECT unnest(${sql.param([...ids])}::uuid[])`

/** A row of `pathsAmong` for each permission and way, with its accounts together and with names. */
export interface NamedPath extends Record<string, unknown> {
  user_id: string | null
  user_name: string | null
  group_id: string | null
  group_name: string | null
  permission: string
  permission_name: string
  node_id: string | null
  node_name: string | null
  target_id: string | null
  family: TargetFamily
  target_name: string | null
  category: string | null
  accounts: { id: string; name: string }[]
  databases: string[]
  date_expired: string
}

/** Query of `NamedPath`, at most `most` of each person and target; `family` is that of `paths`. */
export const namedPaths = (paths: SQL, family: TargetFamily, most: number): SQL => sql`
  SELECT one.*, u.name AS user_name, g.name AS group_name, p.name AS permission_name, n.full_value AS node_name,
    ${family} AS family, t.name AS target_name, t.category
  FROM (
    SELECT w.user_id, w.group_id, w.permission, w.node_id, w.target_id, w.databases, w.date_expired,
      jsonb_agg(jsonb_build_object('id', s.id, 'name', s.name) ORDER BY s.priority, s.name, s.id) AS accounts,
      row_number() OVER (PARTITION BY w.user_id, w.target_id ORDER BY w.date_expired DESC, w.permission, w.group_id, w.node_id) AS place
    FROM (${paths}) w JOIN assets_listed_system_user s ON s.id = w.account
    GROUP BY w.user_id, w.group_id, w.permission, w.node_id, w.target_id, w.databases, w.date_expired) one
  JOIN perms_permission p ON p.id = one.permission
  LEFT JOIN users_account u ON u.id = one.user_id
  LEFT JOIN users_listed_group g ON g.id = one.group_id
  LEFT JOIN assets_listed_node n ON n.id = one.node_id
  LEFT JOIN perms_target t ON t.id = one.target_id AND t.family = ${family}
  WHERE one.place <= ${most}
  ORDER BY one.place`
