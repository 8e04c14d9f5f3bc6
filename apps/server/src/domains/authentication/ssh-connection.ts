import { eq, sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import type { SignIn } from './still-signed-in.ts'
import { authenticationSshConnection } from './tables.ts'

/** A connection whose node does not renew it for so long is not listed any more: the node is gone. */
const LEASE_SECONDS = 180
/** Renewed at most this often: not a write for every look. */
const RENEW_SECONDS = 60

/** The sign-in of an SSH connection, which is listed, and may be ended by itself, as long as the connection is open. */
export interface OpenSshSignIn {
  signIn: SignIn
  /** Tells that the connection is closed. */
  close(): Promise<void>
}

/** Lists the SSH connection of a person who has just signed in with it. `userAgent` is what their client calls itself. */
export async function openSshSignIn(
  { db, app }: Pick<Kernel, 'db' | 'app'>,
  person: { userId: string; remoteAddress: string; userAgent: string },
): Promise<OpenSshSignIn> {
  const [row] = await db
    .insert(authenticationSshConnection)
    .values({
      user_id: person.userId,
      remote_addr: person.remoteAddress,
      user_agent: person.userAgent.replaceAll('\0', ''),
      date_expired: sql`now() + make_interval(secs => ${LEASE_SECONDS})`,
    })
    .returning({ id: authenticationSshConnection.id })
  if (!row) throw new Error('the connection was not stored')
  return {
    signIn: { source: 'ssh', key: row.id },
    async close() {
      try {
        await db.delete(authenticationSshConnection).where(eq(authenticationSshConnection.id, row.id))
      } catch (error) {
        // The node is being stopped: the lease runs out by itself.
        app.log.debug({ err: error }, 'a closed SSH connection stays listed for a while')
      }
    },
  }
}

/** Says that these connections are still open. */
export async function renewSshConnections({ pool }: Pick<Kernel, 'pool'>, ids: readonly string[]): Promise<void> {
  if (!ids.length) return
  await pool.query(
    `UPDATE authentication_ssh_connection SET date_expired = now() + make_interval(secs => ${LEASE_SECONDS}), date_last_seen = now()
     WHERE id = ANY($1::uuid[]) AND date_expired < now() + make_interval(secs => ${LEASE_SECONDS - RENEW_SECONDS})`,
    [ids],
  )
}
