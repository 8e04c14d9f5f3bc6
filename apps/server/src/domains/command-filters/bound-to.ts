import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { usersGroupMember } from '../users/index.ts'
import { PAIRS } from './command-rules.ts'

/** Those to whom and to what filters are bound. Any one binding is enough for a filter to apply. */
export interface Bound {
  /** Members of its groups among them. */
  people: string[]
  system_users: string[]
  /** Machines and applications. */
  targets: string[]
}

/** The bindings of the active ones of these filters, all together. @param filters query of ids */
export async function boundTo(db: Database, filters: SQL): Promise<Bound> {
  const active = sql`SELECT id FROM assets_command_filter WHERE is_active AND id IN (${filters})`
  const all = (query: SQL) => sql`(SELECT coalesce(array_agg(DISTINCT id), '{}') FROM (${query}) bound)`
  const targets = Object.values(PAIRS).map(
    (pairs) => sql`SELECT b.target AS id FROM (${pairs}) b WHERE b.filter_id IN (${active})`,
  )
  const { rows } = await db.execute<Bound & Record<string, unknown>>(sql`
    SELECT ${all(sql`
        SELECT b.user_id AS id FROM assets_command_filter_user b WHERE b.filter_id IN (${active})
        UNION ALL SELECT m.user_id FROM assets_command_filter_user_group b JOIN ${usersGroupMember} m ON m.group_id = b.group_id
        WHERE b.filter_id IN (${active})`)} AS people,
      ${all(sql`SELECT b.system_user_id AS id FROM assets_command_filter_system_user b WHERE b.filter_id IN (${active})`)} AS system_users,
      ${all(sql.join(targets, sql` UNION ALL `))} AS targets`)
  return rows[0] ?? { people: [], system_users: [], targets: [] }
}
