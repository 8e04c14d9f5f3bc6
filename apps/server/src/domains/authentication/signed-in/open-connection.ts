import { eq, sql } from 'drizzle-orm'
import type { SignIn } from '../../../kernel/access/sign-in.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { authenticationOpenConnection } from '../tables.ts'

/** A connection that is not renewed for so long is not listed any more: its node is gone. */
const LEASE_SECONDS = 180
/** Renewed at most this often, to spare a write for every check. */
const RENEW_SECONDS = 60

/**
 * A connection that is a sign-in of its own: of a client of SSH, of a database or of desktops, or
 * of a page that brought a connection token. While it is open it is listed, and can be ended.
 */
export interface OpenConnection {
  signIn: SignIn
  /** Must be called when the connection is closed. */
  close(): Promise<void>
}

/**
 * Lists a connection by which a person has just proven who they are. `userAgent` is the client's
 * name.
 */
export async function openConnection(
  { db, app }: Pick<Kernel, 'db' | 'app'>,
  person: {
    kind: 'ssh' | 'connection_token' | 'database' | 'desktop'
    userId: string
    remoteAddress: string
    userAgent: string
    /** Id of the row in the sign-in log, where there is one. */
    signInId?: string
  },
): Promise<OpenConnection> {
  const [row] = await db
    .insert(authenticationOpenConnection)
    .values({
      ...(person.signInId ? { id: person.signInId } : {}),
      kind: person.kind,
      user_id: person.userId,
      remote_addr: person.remoteAddress,
      user_agent: person.userAgent.replaceAll('\0', ''),
      date_expired: sql`now() + make_interval(secs => ${LEASE_SECONDS})`,
    })
    .returning({ id: authenticationOpenConnection.id })
  if (!row) throw new Error('the connection was not stored')
  return {
    signIn: { source: 'connection', key: row.id },
    async close() {
      try {
        await db.delete(authenticationOpenConnection).where(eq(authenticationOpenConnection.id, row.id))
      } catch (error) {
        // The node is stopping: the lease will expire.
        app.log.debug({ err: error }, 'a closed connection stays listed for a while')
      }
    },
  }
}

/** Renews the leases of these connections. */
export async function renewConnections({ pool }: Pick<Kernel, 'pool'>, ids: readonly string[]): Promise<void> {
  if (!ids.length) return
  await pool.query(
    `UPDATE authentication_open_connection SET date_expired = now() + make_interval(secs => ${LEASE_SECONDS}), date_last_seen = now()
     WHERE id = ANY($1::uuid[]) AND date_expired < now() + make_interval(secs => ${LEASE_SECONDS - RENEW_SECONDS})`,
    [ids],
  )
}
