import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'

/** Query of the rows of one kind that the write has touched (`kernel_watch_rights`). */
const changed = (kind: string) => sql`(SELECT DISTINCT id, other FROM preview_change WHERE kind = ${kind}) c`
const none = sql`NULL::uuid`

/** Query of permissions and the people that they name, themselves or by a group. */
export const naming = (which: { people: SQL } | { permissions: SQL }): SQL => {
  const [direct, byGroup] =
    'people' in which
      ? [sql`pu."user" IN (${which.people})`, sql`m.user_id IN (${which.people})`]
      : [sql`pu.permission IN (${which.permissions})`, sql`pg.permission IN (${which.permissions})`]
  return sql`
    SELECT pu.permission, pu."user" AS person FROM perms_permission_user pu WHERE ${direct}
    UNION ALL
    SELECT pg.permission, m.user_id FROM perms_permission_user_group pg JOIN users_group_member m ON m.group_id = pg.usergroup
    WHERE ${byGroup}`
}

/** Query of permissions and those of these targets that they cover. */
export const covering = (targets: SQL): SQL => sql`
  SELECT pt.permission, pt.asset AS target FROM perms_permission_target pt WHERE pt.asset IN (${targets})
  UNION
  SELECT pt.permission, pt.application FROM perms_permission_target pt WHERE pt.application IN (${targets})
  UNION
  SELECT above.permission, an.asset_id FROM assets_asset_in_node an JOIN (
    SELECT DISTINCT n.id, pn.permission
    FROM (SELECT DISTINCT node_id FROM assets_asset_in_node WHERE asset_id IN (${targets})) own
    JOIN assets_listed_node n ON n.id = own.node_id
    JOIN assets_listed_node up ON up.path @> n.path
    JOIN perms_permission_node pn ON pn.node = up.id) above ON above.id = an.node_id
  WHERE an.asset_id IN (${targets})`

/** Targets that are touched themselves; a remote app is touched with its machine. */
const touchedTargets = sql`
  SELECT id FROM preview_change WHERE kind = 'target'
  UNION SELECT t.id FROM preview_change c JOIN applications_listed_application t
    ON t.category = 'remote_app' AND t.attrs->>'asset' = c.id::text WHERE c.kind = 'target'`

const peopleIn = (kind: string, column: 'id' | 'other') => {
  const people = sql`SELECT ${sql.raw(column)} FROM preview_change WHERE kind = ${kind}`
  return sql`(${naming({ people })}) named`
}

/**
 * The ways from permissions that a row of this kind is on: rows of permission, person, target, account
 * and node, where NULL means all of them. A node means the assets in it, of which it may have a hundred.
 */
const WAYS: Readonly<Record<string, SQL>> = {
  permission: sql`SELECT c.id AS permission, ${none} AS person, ${none} AS target, ${none} AS account, ${none} AS node FROM ${changed('permission')}`,
  permission_person: sql`SELECT c.id, c.other, ${none}, ${none}, ${none} FROM ${changed('permission_person')}`,
  permission_group: sql`SELECT c.id, m.user_id, ${none}, ${none}, ${none} FROM ${changed('permission_group')}
    JOIN users_group_member m ON m.group_id = c.other`,
  permission_account: sql`SELECT c.id, ${none}, ${none}, c.other, ${none} FROM ${changed('permission_account')}`,
  permission_target: sql`SELECT c.id, ${none}, c.other, ${none}, ${none} FROM ${changed('permission_target')}`,
  permission_node: sql`SELECT c.id, ${none}, ${none}, ${none}, below.id FROM ${changed('permission_node')}
    JOIN assets_listed_node n ON n.id = c.other JOIN assets_listed_node below ON below.path <@ n.path`,
  person: sql`SELECT named.permission, named.person, ${none}, ${none}, ${none} FROM ${peopleIn('person', 'id')}`,
  member: sql`SELECT named.permission, named.person, ${none}, ${none}, ${none} FROM ${peopleIn('member', 'other')}
    JOIN perms_permission q ON q.id = named.permission JOIN preview_change c ON c.kind = 'member' AND c.other = named.person AND c.id = q.org_id`,
  group_person: sql`SELECT pg.permission, c.other, ${none}, ${none}, ${none} FROM ${changed('group_person')}
    JOIN perms_permission_user_group pg ON pg.usergroup = c.id`,
  target: sql`SELECT covered.permission, ${none}, covered.target, ${none}, ${none} FROM (${covering(touchedTargets)}) covered`,
  node_target: sql`SELECT pn.permission, ${none}, c.other, ${none}, ${none} FROM ${changed('node_target')}
    JOIN assets_listed_node n ON n.id = c.id JOIN assets_listed_node up ON up.path @> n.path
    JOIN perms_permission_node pn ON pn.node = up.id`,
  // A subtree that moves names each of its nodes.
  node: sql`SELECT pn.permission, ${none}, ${none}, ${none}, n.id
    FROM (SELECT DISTINCT path FROM preview_change WHERE kind = 'node') c JOIN assets_listed_node n ON n.path = c.path
    JOIN assets_listed_node up ON up.path @> n.path JOIN perms_permission_node pn ON pn.node = up.id`,
  account: sql`SELECT ps.permission, ${none}, ${none}, c.id, ${none} FROM ${changed('account')}
    JOIN perms_permission_system_user ps ON ps.systemuser = c.id`,
}

/** The kinds of rows that the write has touched. */
export async function touchedKinds(db: Database): Promise<string[]> {
  const { rows } = await db.execute<{ kind: string }>(sql`SELECT DISTINCT kind FROM preview_change`)
  return rows.map(({ kind }) => kind)
}

/**
 * Query of the ways that the write touches, as this state has them, and the family of their
 * permission. Where the permission itself is touched, other ways say nothing more.
 * @param counts SQL: whether a permission, alias `p`, counts
 */
export function touchedWays(kinds: readonly string[], counts: SQL): SQL {
  const ways = kinds.flatMap((kind) => WAYS[kind] ?? [])
  // The names of the columns come from the first.
  const all = [
    sql`SELECT ${none} AS permission, ${none} AS person, ${none} AS target, ${none} AS account, ${none} AS node WHERE false`,
    ...ways,
  ]
  return sql`SELECT DISTINCT w.*, p.family FROM (${sql.join(all, sql` UNION ALL `)}) w
    JOIN perms_permission p ON p.id = w.permission AND ${counts}
    WHERE (w.person IS NULL AND w.target IS NULL AND w.account IS NULL AND w.node IS NULL)
      OR w.permission NOT IN (SELECT c.id FROM preview_change c WHERE c.kind = 'permission')`
}
