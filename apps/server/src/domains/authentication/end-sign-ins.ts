import { eq, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { publishIn } from '../../kernel/events/events.ts'
import { type Credentials, USER_CHANGED } from '../users/index.ts'
import {
  authenticationAgentCode,
  authenticationAgentGrant,
  authenticationBearerToken,
  authenticationBrowserHold,
  authenticationConnectionToken,
  authenticationOpenConnection,
  authenticationResetToken,
  authenticationSession,
} from './tables.ts'

/** See `Credentials.endSignIns`. */
export const endSignIns: Credentials['endSignIns'] = async (db, userId, keep = {}) => {
  const { id, user_id } = authenticationSession
  await db
    .delete(authenticationSession)
    .where(sql`${user_id} = ${userId} AND ${id} IS DISTINCT FROM ${keep.session ?? null}::uuid`)
  const token = authenticationBearerToken
  await db
    .delete(token)
    .where(
      sql`${token.user_id} = ${userId} AND ${token.token_hash} IS DISTINCT FROM ${sql.param(keep.token ?? null)}::bytea`,
    )
  await dropResetLinks(db, userId)
  const connection = authenticationConnectionToken
  await db.delete(connection).where(sql`${userId} IN (${connection.user_id}, ${connection.creator_id})`)
  await db.delete(authenticationBrowserHold).where(eq(authenticationBrowserHold.user_id, userId))
  await db.delete(authenticationAgentCode).where(eq(authenticationAgentCode.user_id, userId))
  await db.delete(authenticationAgentGrant).where(eq(authenticationAgentGrant.user_id, userId))
  await endConnections(db, userId)
}

/** See `Credentials.endConnections`. */
export async function endConnections(db: Database, userId: string): Promise<void> {
  await db.delete(authenticationOpenConnection).where(eq(authenticationOpenConnection.user_id, userId))
  await publishIn(db, USER_CHANGED, { user_id: userId })
}

export async function dropResetLinks(db: Database, userId: string): Promise<void> {
  await db.delete(authenticationResetToken).where(eq(authenticationResetToken.user_id, userId))
}

/** Ends all sign-ins of the people of a directory, as when they are disabled. */
export async function endSignInsOfDirectory(db: Database, directory: string): Promise<void> {
  const { rows } = await db.execute<{ id: string }>(sql`
    SELECT p.id FROM users_person p WHERE p.directory_id = ${directory} AND (
      EXISTS (SELECT 1 FROM authentication_session s WHERE s.user_id = p.id)
      OR EXISTS (SELECT 1 FROM authentication_bearer_token b WHERE b.user_id = p.id)
      OR EXISTS (SELECT 1 FROM authentication_connection_token c WHERE p.id IN (c.user_id, c.creator_id))
      OR EXISTS (SELECT 1 FROM authentication_browser_hold h WHERE h.user_id = p.id)
      OR EXISTS (SELECT 1 FROM authentication_agent_grant g WHERE g.user_id = p.id)
      OR EXISTS (SELECT 1 FROM authentication_agent_code d WHERE d.user_id = p.id)
      OR EXISTS (SELECT 1 FROM authentication_open_connection o WHERE o.user_id = p.id))
    ORDER BY p.id`)
  for (const { id } of rows) await endSignIns(db, id)
}
