import { type SQL, sql } from 'drizzle-orm'

/**
 * Active, and now within the open interval (docs/rules/perms.md#validity). `p` is the
 * permission's alias in the query.
 */
export const isValidSql = (p: SQL = sql`p`): SQL =>
  sql`(${p}.is_active AND ${p}.date_start < now() AND ${p}.date_expired > now())`

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
