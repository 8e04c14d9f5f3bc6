import { type SQL, sql } from 'drizzle-orm'

/**
 * SQL: active, and now within the open interval (docs/rules/perms.md#validity), each by itself. `p`
 * is the permission's alias in the query; `begun`: what begins by then counts as begun.
 */
export const validity = (p: SQL = sql`p`, begun: SQL = sql`now()`) => ({
  isActive: sql`${p}.is_active`,
  hasBegun: sql`${p}.date_start < ${begun}`,
  hasNotEnded: sql`${p}.date_expired > now()`,
})

/** SQL: all of it. */
export const isValidSql = (p?: SQL, begun?: SQL): SQL =>
  sql`(${sql.join(Object.values(validity(p, begun)), sql` AND `)})`

/** Whether now is outside the interval, before its start included. */
export function isExpired(
  { date_start, date_expired }: { date_start: Date; date_expired: Date },
  now = new Date(),
): boolean {
  return !(date_start < now && now < date_expired)
}

export function isValid(
  permission: { is_active: boolean; date_start: Date; date_expired: Date },
  now = new Date(),
): boolean {
  return permission.is_active && !isExpired(permission, now)
}
