import { type SQL, sql } from 'drizzle-orm'
import { targetLimits } from '../../../kernel/access/target-limits.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { grantFamilies } from '../families.ts'

/**
 * Takes rows out of tables with person, family and target, where the person is limited to other targets
 * (`TargetLimits`): whatever is granted there opens nothing. `people`: the table that names them all.
 */
export async function leaveOutOfLimits(db: Database, people: SQL, tables: readonly SQL[]): Promise<void> {
  const { within } = targetLimits.value
  // Asked of each person once: hardly anybody is limited, and there are tens of thousands of rows.
  const { rows } = await db.execute<{ person: string }>(sql`
    SELECT person FROM (SELECT DISTINCT person FROM ${people}) one
    WHERE NOT ${within('asset', sql`NULL::uuid`, sql`one.person`)}`)
  if (!rows.length) return
  const limited = JSON.stringify(rows.map(({ person }) => person))
  const isBeyond = sql.join(
    grantFamilies().map(
      ({ family }) => sql`(one.family = ${family} AND NOT ${within(family, sql`one.target`, sql`one.person`)})`,
    ),
    sql` OR `,
  )
  for (const table of tables)
    await db.execute(sql`DELETE FROM ${table} one
      WHERE one.person IN (SELECT json_array_elements_text(${limited})::uuid) AND (${isBeyond})`)
}
