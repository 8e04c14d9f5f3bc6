import { eq, sql } from 'drizzle-orm'
import type { SignIn } from '../../../kernel/access/sign-in.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { authenticationOpenConnection } from '../tables.ts'

/**
 * A connection whose node does not renew it for so long is not listed any more: the node is gone.
 */
const LEASE_SECONDS = 180
/** Renewed at most this often: not a write for every look. */
const RENEW_SECONDS = 60

/**
 * A connection that is its own sign-in: of an SSH client, or of a page that brought a connection
 * token. It is listed, and may be ended by itself, as long as it is open.
 */
export interface OpenConnection {
  signIn: SignIn
  /** Tells that the connection is closed. */
  close(): Promise<void>
}

/**
 * Lists the connection of a person who has just proven with it who they are. `userAgent` is what
 * their client calls itself.
 */
export async function openConnection(
  { db, app }: Pick<Kernel, 'db' | 'app'>,
  person: { kind: 'ssh' | 'connection_token'; userId: string; remoteAddress: string; userAgent: string },
): Promise<OpenConnection> {
  const [row] = await db
    .insert(authenticationOpenConnection)
    .values({
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
        // The node is being stopped: the lease runs out by itself.
        app.log.debug({ err: error }, 'a closed connection stays listed for a while')
      }
    },
  }
}

/** Says that these connections are still open. */
export async function renewConnections({ pool }: Pick<Kernel, 'pool'>, ids: readonly string[]): Promise<void> {
  if (!ids.length) return
  await pool.query(
    `UPDATE authentication_open_connection SET date_expired = now() + make_interval(secs => ${LEASE_SECONDS}), date_last_seen = now()
     WHERE id = ANY($1::uuid[]) AND date_expired < now() + make_interval(secs => ${LEASE_SECONDS - RENEW_SECONDS})`,
    [ids],
  )
}
