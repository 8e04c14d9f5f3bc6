import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '../../kernel/database/database.ts'

/**
 * A kind of thing that organizations contain: an organization can't be deleted while one is left.
 */
export interface OrganizationContent {
  /** Its name in the organization's statistics. */
  field: string
  /** English name of one such thing. */
  label: string
  /** Where they are stored: anything with an `org_id` and one row for each. */
  from: PgTable | SQL
  /** Which rows of it are meant; undefined for all. */
  where?: SQL
  /** Left out of the statistics. */
  uncounted?: boolean
}

const contents = new Map<string, OrganizationContent>()

/** Declares what else organizations contain. */
export function organizationsHold(...kinds: readonly OrganizationContent[]): void {
  for (const kind of kinds) contents.set(kind.field, kind)
}

/**
 * Everything that organizations may contain, one entry for each field, by label: which part of the
 * server declared its own first is chance.
 */
export const organizationContents = (): OrganizationContent[] =>
  [...contents.values()].sort((one, other) => (one.label < other.label ? -1 : 1))

/** How many things of each kind there are, by organization. */
export async function countContents(
  db: Database,
  ids: readonly string[],
  kinds: readonly OrganizationContent[],
): Promise<Map<string, Record<string, number>>> {
  const none = Object.fromEntries(kinds.map(({ field }) => [field, 0]))
  const counts = new Map(ids.map((id) => [id, { ...none }]))
  const parts = kinds.map(
    ({ field, from, where }) =>
      sql`SELECT ${sql.raw(`'${field}'`)} AS field, org_id, count(*)::int AS amount FROM ${from} WHERE org_id IN (${sql.join(
        ids.map((id) => sql`${id}::uuid`),
        sql`, `,
      )}) ${where ? sql`AND ${where}` : sql``} GROUP BY org_id`,
  )
  const { rows } = await db.execute<{ field: string; org_id: string; amount: number }>(
    sql.join(parts, sql` UNION ALL `),
  )
  for (const { field, org_id, amount } of rows) (counts.get(org_id) ?? {})[field] = amount
  return counts
}
