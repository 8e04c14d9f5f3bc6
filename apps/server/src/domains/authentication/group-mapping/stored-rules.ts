import { FURTHER_FIELDS } from '@sallyport/contract/resources/authentication/group-mapping.ts'
import { asc, eq, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { GroupSource, Origin } from '../outside-source.ts'
import { type Giving, givingBy, type Rule } from './matching.ts'
import { authenticationGroupMapping as mapping } from './tables.ts'

const LOCK = sql`hashtextextended('authentication.group_mapping', 0)`

/**
 * Nobody is given anything by rules that are being changed: a transaction that reads them waits for one
 * that writes them.
 */
export async function holdRules(db: Database, forWhat: 'reading' | 'writing'): Promise<void> {
  await db.execute(
    forWhat === 'writing'
      ? sql`SELECT pg_advisory_xact_lock(${LOCK})`
      : sql`SELECT pg_advisory_xact_lock_shared(${LOCK})`,
  )
}

/** A rule has values of its own source alone (`ruleFaults`). */
const FIELDS = Object.values(FURTHER_FIELDS)
const ANY_OF_ITS = sql.join(
  FIELDS.map(({ all }) => sql`${mapping[all]}`),
  sql` OR `,
)
const ONE_OF_ITS = sql`coalesce(${sql.join(
  FIELDS.map(({ one }) => sql`${mapping[one]}`),
  sql`, `,
)})`

/**
 * The rules that are in force for people of a source, and of one directory or provider, in their order; or all but
 * `without`.
 */
export async function rulesOf(db: Database, { source, directory }: Origin, without?: string): Promise<Rule[]> {
  const { id, name, org_id, match, value, mode, org_role, system_role } = mapping
  const rows = await db
    .select({
      id,
      name,
      org_id,
      match,
      value,
      mode,
      org_role,
      system_role,
      priority: mapping.priority,
      groups: sql<
        string[]
      >`ARRAY(SELECT g.group_id FROM authentication_group_mapping_group g WHERE g.mapping_id = ${mapping.id})`,
    })
    .from(mapping)
    .where(
      sql`${eq(mapping.source, source)} AND ${mapping.is_active}
        AND (${ANY_OF_ITS} OR ${ONE_OF_ITS} IS NOT DISTINCT FROM ${directory}::uuid) AND ${mapping.id} IS DISTINCT FROM ${without ?? null}`,
    )
    .orderBy(asc(mapping.priority), asc(mapping.name), asc(mapping.id))
  return rows
}

/** The gifts of the rules for people of a source as they are now. */
export const givingOf = async (db: Database, origin: Origin): Promise<Giving> =>
  givingBy(await rulesOf(db, origin), isDirectory(origin.source))

/** Whether groups of the source are entries of a directory, which are compared as such. */
export const isDirectory = (source: GroupSource): boolean => source === 'ldap'

/** Whether its groups are departments of people who have bound it, whatever their source is. */
export const isMessenger = (source: GroupSource): boolean =>
  source === 'wecom' || source === 'dingtalk' || source === 'feishu'
