import type { Kernel } from '../../kernel/kernel.ts'

/** A further condition on the session, as SQL whose parameters begin with `$3`. */
export interface TakeCondition {
  where: string
  values: readonly unknown[]
}

/**
 * Takes a value out of what a session remembers, for one caller only, on every node: it is used up.
 * Undefined where there is none, the session is over, or the condition does not hold.
 */
export async function takeState<T>(
  { pool }: Pick<Kernel, 'pool'>,
  sessionId: string | undefined,
  key: string,
  { where, values }: TakeCondition = { where: 'true', values: [] },
): Promise<T | undefined> {
  if (!sessionId) return undefined
  // `RETURNING old.state` would say it in one, but PostgreSQL before 18 does not know it.
  const { rows } = await pool.query<{ value: T | null }>(
    `UPDATE authentication_session SET state = authentication_session.state - $2
     FROM (SELECT id, state FROM authentication_session
           WHERE id = $1 AND state ? $2 AND date_expired > now() AND ${where} FOR UPDATE) AS before
     WHERE authentication_session.id = before.id RETURNING before.state->$2 AS value`,
    [sessionId, key, ...values],
  )
  return rows[0]?.value ?? undefined
}
