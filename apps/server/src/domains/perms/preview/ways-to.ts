import { ACTION_BITS } from '@sallyport/contract/actions.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { PLACES } from './places.ts'
import { counting, countsForPerson, keep, targetsOf } from './sets.ts'
import { covering, naming } from './touched.ts'

/** SQL: whether a mask opens sessions. */
export const opens = (mask: SQL): SQL => sql`(coalesce(${mask}, 0) & ${sql.raw(String(ACTION_BITS.connect))}) <> 0`

/**
 * With so many targets for each permission, asking for all targets of the permissions beats asking for
 * the permissions of all targets: either is many rows for few that count.
 */
const TARGETS_A_PERMISSION = 4

/**
 * Keeps which permissions lead to these rights in this state.
 * @param key table of person, family, target and account. Whether an account fits its target is not
 *   asked again.
 * @returns query of the ways: the columns of `key`, and permission, actions and databases
 */
export async function waysTo(db: Database, { key, orgId }: { key: SQL; orgId: string | undefined }): Promise<SQL> {
  const [given, covered] = [sql`${key}_given`, sql`${key}_covered`]
  const keepGiven = (named: SQL) =>
    keep(
      db,
      given,
      sql`SELECT DISTINCT named.permission, named.person, p.actions, ${PLACES} AS databases
      FROM (${named}) named
      JOIN perms_permission p ON p.id = named.permission AND ${counting(orgId)}
      WHERE EXISTS (SELECT 1 FROM perms_permission_system_user ps WHERE ps.permission = p.id
        AND ps.systemuser IN (SELECT DISTINCT account FROM ${key})) AND ${countsForPerson}`,
    )
  const { people, targets } = await sizeOf(db, key)
  const [person, target] = [sql`SELECT DISTINCT person FROM ${key}`, sql`SELECT DISTINCT target FROM ${key}`]
  if (targets <= people * TARGETS_A_PERMISSION) {
    await keep(db, covered, covering(target))
    const named = naming({ permissions: sql`SELECT permission FROM ${covered}` })
    await keepGiven(sql`SELECT * FROM (${named}) one WHERE person IN (${person})`)
  } else {
    await keepGiven(naming({ people: person }))
    const permission = sql`SELECT permission FROM ${given}`
    const { rows } = await db.execute<{ n: number }>(sql`SELECT count(*)::int AS n FROM (${permission} GROUP BY 1) one`)
    await keep(
      db,
      covered,
      (rows[0]?.n ?? 0) * TARGETS_A_PERMISSION < targets
        ? sql`SELECT * FROM (${targetsOf(permission)}) one WHERE target IN (${target})`
        : sql`SELECT * FROM (${covering(target)}) one WHERE permission IN (${permission})`,
    )
  }
  return sql`
    SELECT k.person, k.family, k.target, k.account, g.permission, g.actions, g.databases
    FROM ${key} k
    JOIN ${given} g ON g.person = k.person
    JOIN ${covered} c ON c.permission = g.permission AND c.target = k.target
    JOIN perms_permission_system_user ps ON ps.permission = g.permission AND ps.systemuser = k.account`
}

async function sizeOf(db: Database, key: SQL): Promise<{ people: number; targets: number }> {
  const { rows } = await db.execute<{ people: number; targets: number }>(sql`
    SELECT (SELECT count(*) FROM (SELECT DISTINCT person FROM ${key}) one)::int AS people,
      (SELECT count(*) FROM (SELECT DISTINCT target FROM ${key}) one)::int AS targets`)
  return rows[0] ?? { people: 0, targets: 0 }
}
