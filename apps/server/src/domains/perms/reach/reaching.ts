import type { Target } from '@sallyport/contract/target.ts'
import { and, or, type SQL, sql } from 'drizzle-orm'
import { targetLimits } from '../../../kernel/access/target-limits.ts'
import { askAll } from '../../../kernel/database/ask-all.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { PREPARED } from '../../../kernel/database/preparing-client.ts'
import { NOTHING } from '../../../kernel/resource/conditions.ts'
import { type GrantFamily, grantFamily, targetColumn } from '../families.ts'
import { allows, type GrantScope, inFamily, permissionsOf } from '../grants.ts'
import { coveringOne, nodesAboveOne } from '../may-connect.ts'
import { isValidSql } from '../validity.ts'
import { permsTarget } from '../views.ts'

/**
 * Query of the ids of everybody who can open a session on a target now, as any system user: whom
 * `mayConnect` allows it.
 * @param orgId only if the target is of this organization; undefined: of any
 */
export function peopleReaching(target: Target, orgId: string | undefined): SQL {
  const family = grantFamily(target.family)
  if (!family) return sql`SELECT NULL::uuid WHERE false`
  return peopleNamed(
    sql`
    WITH above AS MATERIALIZED (${nodesAboveOne(target)})
    SELECT p.id, p.org_id FROM perms_permission p
    WHERE ${inFamily({ family: target.family, orgId })} AND ${isValidSql()} AND ${allows('connect')}
      AND p.id IN (${coveringOne(target)})
      AND EXISTS (
        SELECT 1 FROM ${family.targets} t JOIN perms_permission_system_user ps ON ps.permission = p.id
        JOIN assets_listed_system_user s ON s.id = ps.systemuser AND s.org_id = t.org_id
        WHERE t.id = ${target.id}::uuid AND ${family.isActive} AND ${family.fits})`,
    targetLimits.value.within(target.family, sql`${target.id}::uuid`, sql`u.id`),
  )
}

/** The same of everybody whom one permission lets connect now. */
export const peopleOf = (permissionId: string, orgId: string | undefined): SQL =>
  peopleNamed(sql`
    SELECT p.id, p.org_id FROM perms_permission p
    WHERE p.id = ${permissionId}::uuid AND ${isValidSql()} AND ${allows('connect')}
      ${orgId ? sql`AND p.org_id = ${orgId}::uuid` : sql``}`)

/** People whom permissions name, as far as they are members of their organization and may sign in. */
const peopleNamed = (permissions: SQL, isWithin = sql`true`) => sql`
  WITH p AS MATERIALIZED (${permissions}),
  named AS (
    SELECT p.org_id, pu."user" AS id FROM p JOIN perms_permission_user pu ON pu.permission = p.id
    UNION
    SELECT p.org_id, m.user_id FROM p JOIN perms_permission_user_group pg ON pg.permission = p.id
    JOIN users_group_member m ON m.group_id = pg.usergroup)
  SELECT named.id FROM named JOIN orgs_membership om ON om.user_id = named.id AND om.org_id = named.org_id
  JOIN users_account u ON u.id = named.id AND u.is_valid AND ${isWithin}`

/**
 * Condition on rows of `permsTarget`: whether somebody can open a session there now, as any system user.
 * The grants are read first, so that the planner sees how many there are.
 */
export async function isWithinReach(db: Database, whose: GrantScope): Promise<SQL> {
  const families = (['asset', 'application'] as const).map(grantFamily).filter((family) => family !== undefined)
  const { subject } = whose
  const limitOf = ({ family }: GrantFamily) =>
    'userId' in subject
      ? targetLimits.value.within(family, sql`${permsTarget.id}`, sql`${subject.userId}::uuid`)
      : undefined
  const conditions = await askAll(
    db,
    families.map((family) => async () => {
      const reached = reachedIn(family, await loadReach(db, family, whose))
      return reached && and(reached, limitOf(family))
    }),
  )
  const within = or(...conditions.filter((condition) => condition !== undefined)) ?? NOTHING
  if (!('userId' in whose.subject)) return within
  return sql`(${within} AND EXISTS (SELECT 1 FROM users_account u WHERE u.id = ${whose.subject.userId}::uuid AND u.is_valid))`
}

/** The row's own columns, under the names that conditions of families use. */
const { id, org_id, is_active, protocols, category, type, attrs } = permsTarget
const OWN_COLUMNS = sql`${id}, ${org_id}, ${is_active}, ${protocols}, ${category}, ${type}, ${attrs}`

/** The grants of the system users of one protocol, which alone decides which targets they fit. */
interface Reach extends Record<string, unknown> {
  protocol: string
  /** Organizations of which everything was granted. */
  whole: string[] | null
  /** Granted nodes and all below, of other organizations. */
  nodes: string[] | null
  targets: string[] | null
}

async function loadReach(db: Database, family: GrantFamily, whose: GrantScope): Promise<Reach[]> {
  const { rows } = await db.execute<Reach>(sql`${PREPARED}
    WITH p AS MATERIALIZED (${permissionsOf({ ...whose, family: family.family, action: 'connect' })}),
    by AS MATERIALIZED (
      SELECT DISTINCT s.protocol, p.id, p.org_id FROM p
      JOIN perms_permission_system_user ps ON ps.permission = p.id JOIN assets_listed_system_user s ON s.id = ps.systemuser),
    granted AS MATERIALIZED (
      SELECT DISTINCT by.protocol, n.org_id, n.parent_key, n.path FROM by
      JOIN perms_permission_node pn ON pn.permission = by.id JOIN assets_listed_node n ON n.id = pn.node AND n.org_id = by.org_id)
    SELECT one.protocol,
      (SELECT array_agg(DISTINCT g.org_id) FROM granted g WHERE g.protocol = one.protocol AND g.parent_key = '') AS whole,
      (SELECT array_agg(DISTINCT below.id) FROM granted g JOIN assets_listed_node below ON below.path <@ g.path
       WHERE g.protocol = one.protocol AND NOT EXISTS (
         SELECT 1 FROM granted root WHERE root.protocol = g.protocol AND root.org_id = g.org_id AND root.parent_key = '')) AS nodes,
      (SELECT array_agg(DISTINCT ${targetColumn(family.family)}) FROM by JOIN perms_permission_target pt ON pt.permission = by.id
       WHERE by.protocol = one.protocol) AS targets
    FROM (SELECT DISTINCT protocol FROM by) one`)
  return rows
}

function reachedIn(family: GrantFamily, reach: readonly Reach[]): SQL | undefined {
  const pairs = (of: 'whole' | 'nodes' | 'targets') => {
    const all = reach.flatMap((one) => (one[of] ?? []).map((id) => [id, one.protocol] as const))
    const column = (at: 0 | 1) => sql.param(all.map((pair) => pair[at]))
    return all.length > 0 && sql`SELECT * FROM unnest(${column(0)}::uuid[], ${column(1)}::text[]) AS pair(id, protocol)`
  }
  const [whole, nodes, targets] = [pairs('whole'), pairs('nodes'), pairs('targets')]
  const named = [
    ...(nodes
      ? [
          sql`SELECT an.asset_id AS id, pair.protocol FROM (${nodes}) pair JOIN assets_asset_in_node an ON an.node_id = pair.id`,
        ]
      : []),
    ...(targets ? [targets] : []),
  ]
  const { family: name, targets: rows, isActive, fits, fitsBy } = family
  const kind = (table: SQL) =>
    sql.join(
      ['org_id', ...fitsBy].map((column) => sql`${table}.${sql.identifier(column)}`),
      sql`, `,
    )
  return or(
    // Not each by itself: there are as many as an organization has, and of few kinds.
    whole
      ? sql`(${permsTarget.family} = ${name} AND (${kind(sql`${permsTarget}`)}) IN (
          SELECT ${kind(sql`t`)} FROM (SELECT DISTINCT ${kind(sql`t`)} FROM ${rows} t) t
          WHERE EXISTS (SELECT 1 FROM (${whole}) s WHERE s.id = t.org_id AND ${fits}))
        AND EXISTS (SELECT 1 FROM (SELECT ${OWN_COLUMNS}) t WHERE ${isActive}))`
      : undefined,
    named.length
      ? sql`${permsTarget.id} IN (
          SELECT t.id FROM (${sql.join(named, sql` UNION ALL `)}) s JOIN ${rows} t ON t.id = s.id WHERE ${isActive} AND ${fits})`
      : undefined,
  )
}
