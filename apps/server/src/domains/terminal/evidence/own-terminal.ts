import { eq, inArray } from 'drizzle-orm'
import { type Call, callerOf } from '../../../kernel/access/call.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { forbidden } from '../../../kernel/errors/app-error.ts'
import { terminalSession, terminalTerminal } from '../tables.ts'

/**
 * The terminal that the calling component is. Throws 403 for a component that is none: evidence is
 * written by who carries the session (docs/rules/terminal.md#session).
 */
export async function ownTerminal(db: Database, call: Call): Promise<typeof terminalTerminal.$inferSelect> {
  const [own] = await db
    .select()
    .from(terminalTerminal)
    .where(eq(terminalTerminal.user_id, callerOf(call).id))
  if (!own) throw forbidden()
  return own
}

/** Throws 403 when one of the sessions is carried by another terminal than the caller. */
export async function requireOwn(
  db: Database,
  call: Call,
  sessions: readonly { terminal: string | null }[],
): Promise<void> {
  const own = await ownTerminal(db, call)
  if (sessions.some(({ terminal }) => terminal !== own.id)) throw forbidden()
}

/** Those of these sessions that the calling component carries, with their organizations by id. */
export async function orgsOfOwnSessions(
  db: Database,
  call: Call,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const own = await ownTerminal(db, call)
  if (!ids.length) return new Map()
  const rows = await db
    .select({ id: terminalSession.id, org_id: terminalSession.org_id, terminal: terminalSession.terminal })
    .from(terminalSession)
    .where(inArray(terminalSession.id, [...ids]))
  return new Map(rows.filter(({ terminal }) => terminal === own.id).map(({ id, org_id }) => [id, org_id]))
}
