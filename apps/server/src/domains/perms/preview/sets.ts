import type { TargetFamily } from '@sallyport/contract/target.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { type GrantFamily, grantFamilies } from '../families.ts'
import { fitConditions } from '../may-connect.ts'
import { isValidSql } from '../validity.ts'

/**
 * What begins when it is saved has begun: the write gives it a time after the beginning of its
 * transaction, which is what `now()` says.
 */
const SOON = sql`now() + interval '1 minute'`

/** SQL: whether a permission, alias `p`, counts at all. */
export const counting = (orgId: string | undefined) =>
  sql`${isValidSql(sql`p`, SOON)} AND p.actions <> 0${orgId ? sql` AND p.org_id = ${orgId}::uuid` : sql``}`

/** SQL: whether a permission, alias `p`, counts for a person, alias `named`. */
export const countsForPerson = sql`
  EXISTS (SELECT 1 FROM users_account u WHERE u.id = named.person AND u.is_valid)
  AND EXISTS (SELECT 1 FROM orgs_membership om WHERE om.user_id = named.person AND om.org_id = p.org_id)`

/**
 * Keeps the rows of a query for this transaction; answers how many there are. Statistics make the
 * difference between reading a table once and once for each row.
 */
export async function keep(db: Database, table: SQL, query: SQL): Promise<number> {
  const { rowCount } = await db.execute(sql`CREATE TEMP TABLE ${table} ON COMMIT DROP AS ${query}`)
  if (rowCount) await db.execute(sql`ANALYZE ${table}`)
  return rowCount ?? 0
}

/** Query of the permissions and targets of a table, with the accounts that fit. */
export const fitting = (place: SQL, families: readonly TargetFamily[]): SQL =>
  inFamilies(families, ['permission', 'target', 'account'], ({ family }) => {
    return sql`SELECT place.permission, place.target, ps.systemuser AS account FROM ${place} place
      JOIN perms_permission p ON p.id = place.permission AND p.family = ${family}
      JOIN perms_permission_system_user ps ON ps.permission = place.permission`
  })

/** Those pairs of a target and an account, of a query, that fit. */
export const fittingPairs = (pairs: SQL): SQL =>
  inFamilies(
    grantFamilies().map(({ family }) => family),
    ['target', 'account'],
    () => pairs,
  )

function inFamilies(
  families: readonly TargetFamily[],
  columns: readonly string[],
  pairsOf: (family: GrantFamily) => SQL,
): SQL {
  const list = (names: readonly string[], alias: string) =>
    sql.raw(names.map((name) => `${alias}."${name}"`).join(', '))
  return sql.join(
    grantFamilies()
      .filter(({ family }) => families.includes(family))
      .map((family) => {
        const { isActive, isOfSameOrg, fits } = fitConditions(family)
        // Each kind of target is tested once with each protocol: there are many targets of few kinds.
        return sql`(
        WITH pair AS MATERIALIZED (
          SELECT one.*, ${list(family.fitsBy, 't')}, s.protocol AS spoken FROM (${pairsOf(family)}) one
          JOIN ${family.targets} t ON t.id = one.target
          JOIN assets_listed_system_user s ON s.id = one.account
          WHERE ${isActive} AND ${isOfSameOrg}),
        fit AS MATERIALIZED (
          SELECT ${list(family.fitsBy, 't')}, t.spoken
          FROM (SELECT DISTINCT ${list([...family.fitsBy, 'spoken'], 'pair')} FROM pair) t
          CROSS JOIN LATERAL (SELECT t.spoken AS protocol) s
          WHERE ${fits})
        SELECT ${list(columns, 'pair')}, ${family.family}::text AS family FROM pair
        WHERE (${list([...family.fitsBy, 'spoken'], 'pair')}) IN (SELECT * FROM fit))`
      }),
    sql` UNION ALL `,
  )
}

/** Query of these permissions and all targets that they cover; `each` way to a target is a row, or each target. */
export const targetsOf = (permissions: SQL, each: 'target' | 'way' = 'target') => sql`
  SELECT pt.permission, coalesce(pt.asset, pt.application) AS target FROM perms_permission_target pt WHERE pt.permission IN (${permissions})
  UNION ${each === 'way' ? sql`ALL` : sql``}
  SELECT pn.permission, an.asset_id FROM perms_permission_node pn JOIN assets_listed_node n ON n.id = pn.node
    JOIN assets_listed_node below ON below.path <@ n.path JOIN assets_asset_in_node an ON an.node_id = below.id
  WHERE pn.permission IN (${permissions})`
