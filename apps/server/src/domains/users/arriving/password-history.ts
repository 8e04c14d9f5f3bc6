import { sql } from 'drizzle-orm'
import type { ArrivalRun } from '../../../kernel/arrivals/arrival.ts'

/** The hash of a password that somebody had. */
export interface ArrivingPassword {
  /** Its id there. */
  key: string
  user_id: string
  password_hash: string
  date_created: string
}

/** Kind of earlier passwords: they go with their people, and stay with those who stay. */
export const PASSWORD_HISTORY_KIND = 'password_history'

/**
 * Stores hashes of earlier passwords, the oldest first: the last ones of a person are those that may not
 * be used again. Answers how many are new.
 */
export async function arrivePasswordHistory(
  { db, source, run }: ArrivalRun,
  passwords: readonly ArrivingPassword[],
): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(sql`
    WITH r AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${JSON.stringify(passwords)})
        AS r (key text, user_id uuid, password_hash text, date_created timestamptz)),
    fresh AS MATERIALIZED (
      SELECT r.* FROM r LEFT JOIN kernel_arrival a ON a.source = ${source} AND a.kind = ${PASSWORD_HISTORY_KIND} AND a.key = r.key
      WHERE a.key IS NULL AND NOT EXISTS (
        SELECT 1 FROM users_password_history h WHERE h.user_id = r.user_id AND h.password_hash = r.password_hash)),
    stored AS (
      INSERT INTO users_password_history (user_id, password_hash, date_created)
      SELECT user_id, password_hash, date_created FROM fresh ORDER BY date_created RETURNING 1),
    noted AS (
      INSERT INTO kernel_arrival (source, kind, key, id, digest, stored, run)
      SELECT ${source}, ${PASSWORD_HISTORY_KIND}, key, user_id::text, '', '', ${run}::uuid FROM r
      ON CONFLICT (source, kind, key) DO UPDATE SET run = excluded.run)
    SELECT count(*)::int AS count FROM stored`)
  return rows[0]?.count ?? 0
}

/**
 * Remembers the passwords that these people have now, as a change here does: none may be used again.
 * Answers how many were not remembered.
 */
export async function rememberArrivedPasswords({ db }: ArrivalRun, people: readonly string[]): Promise<number> {
  const { rowCount } = await db.execute(sql`
    INSERT INTO users_password_history (user_id, password_hash)
    SELECT u.id, u.password_hash FROM users_user u
    WHERE u.id = ANY (${sql.param([...people])}::uuid[]) AND u.password_hash IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM users_password_history h WHERE h.user_id = u.id AND h.password_hash = u.password_hash)`)
  return rowCount ?? 0
}
