import { sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'

/**
 * Commands that may wait for a storage. Whatever comes then stays with the server for good, so that
 * a storage that is away for weeks costs no more than the built-in one does.
 */
export const MAX_WAITING = 200_000

/**
 * Share of one day where each has an index of its own: a red one must leave room for those that
 * follow.
 */
const SHARE_OF_A_DAY = 0.5

/** Where the commands of a session go: to a storage outside, or nowhere; undefined: they stay. */
export type Destination = { due: string } | 'nowhere' | undefined

/**
 * Where the commands of these sessions go, as their terminals say now. Other parties' terminals
 * bring theirs by themselves, and what they send here stays (docs/rules/terminal.md#command).
 */
export async function destinationsOf(
  db: Database,
  sessions: readonly string[],
  mostWaiting = MAX_WAITING,
): Promise<Map<string, Destination>> {
  const ids = [...new Set(sessions)].filter(isUuid)
  if (!ids.length) return new Map()
  const mostOfDay = Math.floor(mostWaiting * SHARE_OF_A_DAY)
  const today = sql`extract(epoch FROM date_trunc('day', now(), 'UTC'))::bigint`
  const wait = (most: number, more = sql``) =>
    sql`(SELECT count(*) FROM (SELECT FROM terminal_command WHERE due = storage.id ${more} LIMIT ${most}) waiting) >= ${most}`
  const { rows } = await db.execute<{ session: string; storage: string; type: string; full: boolean }>(sql`
    SELECT session.id AS session, storage.id AS storage, storage.type,
      storage.type = 'es' AND (${wait(mostWaiting)}
        OR storage.meta->>'INDEX_BY_DATE' = 'true' AND ${wait(mostOfDay, sql`AND timestamp >= ${today}`)}) AS full
    FROM terminal_session session
    JOIN terminal_terminal terminal ON terminal.id = session.terminal AND terminal.is_builtin
    JOIN terminal_command_storage storage ON storage.name = terminal.command_storage AND storage.type <> 'server'
    WHERE session.id = ANY(${sql.param(ids)}::uuid[])`)
  return new Map(
    rows.map(({ session, storage, type, full }): [string, Destination] => [
      session,
      type === 'null' ? 'nowhere' : full ? undefined : { due: storage },
    ]),
  )
}
