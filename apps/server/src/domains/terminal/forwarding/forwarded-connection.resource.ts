import {
  type ForwardedOutcome,
  forwardedConnection,
} from '@sallyport/contract/resources/terminal/forwarded-connection.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { dateRange } from '../../../kernel/resource/lists/date-range.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { usersAccount } from '../../users/index.ts'
import { terminalForwardedConnection, terminalSession } from '../tables.ts'

export default function mountForwardedConnection(kernel: Kernel): void {
  mountResource(kernel, forwardedConnection, {
    table: terminalForwardedConnection,
    filters: dateRange(terminalForwardedConnection.date_start),
    unaudited: true,
    present: (row, { reason }, { call }) => ({ ...row, reason: reason && translate(call.language, reason) }),
  })
}

export type NewForwardedConnection = Omit<
  typeof terminalForwardedConnection.$inferInsert,
  'id' | 'bytes_sent' | 'bytes_received' | 'date_start' | 'on_behalf_of'
> & { outcome: ForwardedOutcome }

const DESTINATION_MAX = 300

/** Stores that a connection begins, or why it does not. Answers its id. */
export async function storeForwardedConnection(db: Database, row: NewForwardedConnection): Promise<string> {
  const cut = {
    user: row.user.slice(0, 128),
    asset: row.asset.slice(0, 128),
    system_user: row.system_user.slice(0, 128),
    destination: row.destination.replaceAll('\0', '').slice(0, DESTINATION_MAX).toWellFormed(),
  }
  const on_behalf_of = sql<string>`(SELECT u.on_behalf_of FROM ${usersAccount} u WHERE u.id = ${row.user_id}::uuid)`
  const [stored] = await db
    .insert(terminalForwardedConnection)
    .values({ ...row, ...cut, on_behalf_of })
    .returning({ id: terminalForwardedConnection.id })
  if (!stored) throw new Error('the forwarded connection was not stored')
  return stored.id
}

/** Inserts connections of the past, such as those of the demo. */
export async function storePastForwarded(
  db: Database,
  rows: readonly (typeof terminalForwardedConnection.$inferInsert)[],
): Promise<void> {
  if (rows.length) await db.insert(terminalForwardedConnection).values([...rows])
}

export type ForwardedEnd = Required<
  Pick<typeof terminalForwardedConnection.$inferInsert, 'bytes_sent' | 'bytes_received'>
> & { outcome: ForwardedOutcome; reason?: string | undefined }

/** Stores the end of a connection, once. */
export async function endForwardedConnection(db: Database, id: string, end: ForwardedEnd): Promise<void> {
  const { id: key, outcome } = terminalForwardedConnection
  await db
    .update(terminalForwardedConnection)
    .set({ ...end, date_end: sql`now()` })
    .where(and(eq(key, id), eq(outcome, 'open')))
}

/** Ends the connections whose session is over: those of a node that was killed, whose bytes nobody knows. */
export async function endForwardedOfLost(db: Database): Promise<void> {
  await db.execute(sql`
    UPDATE ${terminalForwardedConnection} f SET outcome = 'ended', date_end = greatest(f.date_start, s.date_end)
    FROM ${terminalSession} s
    WHERE f.outcome = 'open' AND s.id = f.session_id AND s.is_finished AND s.date_end < now() - interval '1 minute'`)
}
