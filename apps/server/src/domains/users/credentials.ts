import type { SQL, SQLWrapper } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { Provided } from '../../kernel/provided.ts'

/**
 * The key with which a component signs its requests; the secret is answered only when it is made.
 */
export interface AccessKey {
  id: string
  secret: string
  date_created: Date
}

/** The one session or token that survives when a person's sign-ins end. */
export interface KeptSignIn {
  session?: string | undefined
  token?: Buffer | undefined
}

/**
 * What people sign in with and what keeps them signed in. The authentication domain, which stands
 * above this one, implements it. All changes are made in the transaction `db`.
 */
export interface Credentials {
  /**
   * Ends every browser session, bearer token, SSH connection, connection token and password reset
   * link of a person, except `keep`. An event tells every node once the transaction commits. Access
   * keys and the private token stay: they are not sign-ins, and are disabled by themselves.
   */
  endSignIns(db: Database, userId: string, keep?: KeptSignIn): Promise<void>
  /** Ends the SSH connections that a person has open now, whatever they signed in with. */
  endConnections(db: Database, userId: string): Promise<void>
  /** Switches a person's access keys off; the person may switch them on again. */
  suspendAccessKeys(db: Database, userId: string): Promise<void>
  /** Links to a new password that were sent to the person count no more. */
  dropResetLinks(db: Database, userId: string): Promise<void>
  dropPasskeys(db: Database, userId: string): Promise<void>
  /** Lifts the lock after failed sign-ins. */
  unlock(db: Database, username: string): Promise<void>
  /** How many passkeys each of these people has; people without any are left out. */
  passkeyCounts(db: Database, userIds: readonly string[]): Promise<Map<string, number>>
  /** Which of these names are locked, if `limit` failures are allowed. */
  lockedNames(db: Database, usernames: readonly string[], limit: number): Promise<Set<string>>
  /** Whether a person has a passkey, in SQL. */
  hasPasskey(userId: SQLWrapper): SQL<boolean>
  /** Whether a person has set up a second factor. */
  hasFactor(kernel: Kernel, userId: string): Promise<boolean>
  /**
   * Whether this browser session has proven the second factor within SECURITY_MFA_VERIFY_TTL; false
   * without a browser session.
   */
  hasFreshMfa(kernel: Kernel, sessionId: string | undefined): Promise<boolean>
  createAccessKey(kernel: Kernel, db: Database, userId: string): Promise<AccessKey>
}

/** Provided by the domain of authentication, a later one. */
export const credentials = new Provided<Credentials>('credentials')
