import type { SQL, SQLWrapper } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** What a component signs its requests with; the secret is told once. */
export interface AccessKey {
  id: string
  secret: string
  date_created: Date
}

/** The one session or token that stays when a person's sign-ins end. */
export interface KeptSignIn {
  session?: string | undefined
  token?: Buffer | undefined
}

/**
 * What people sign in with, and are signed in by. The authentication domain, which this one does
 * not know, keeps it; what changes follows in the same transaction.
 */
export interface Credentials {
  /**
   * Ends every browser session, bearer token, SSH connection, connection token and link to a new
   * password of a person, but one session or token. What hangs on them hears of it on every node,
   * once the transaction is committed. Access keys and the private token stay: they are no
   * sign-ins, and have switches of their own.
   */
  endSignIns(db: Database, userId: string, keep?: KeptSignIn): Promise<void>
  /**
   * Ends the connections that a person's SSH clients have open now, whatever they signed in with.
   */
  endConnections(db: Database, userId: string): Promise<void>
  /** Switches a person's access keys off; the person may switch them on again. */
  suspendAccessKeys(db: Database, userId: string): Promise<void>
  /** Links to a new password that were sent to the person count no more. */
  dropResetLinks(db: Database, userId: string): Promise<void>
  dropPasskeys(db: Database, userId: string): Promise<void>
  /** Lifts the lock after failed sign-ins. */
  unlock(db: Database, username: string): Promise<void>
  /** How many passkeys each of these people has; who has none is left out. */
  passkeyCounts(db: Database, userIds: readonly string[]): Promise<Map<string, number>>
  /** Those of these names that are locked, with so many failures allowed. */
  lockedNames(db: Database, usernames: readonly string[], limit: number): Promise<Set<string>>
  /** Whether a person has a passkey, in SQL. */
  hasPasskey(userId: SQLWrapper): SQL<boolean>
  /** Whether a person has a second factor to prove. */
  hasFactor(kernel: Kernel, userId: string): Promise<boolean>
  /**
   * Whether this browser session has proven the second factor within SECURITY_MFA_VERIFY_TTL; calls
   * without a browser session never have.
   */
  hasFreshMfa(kernel: Kernel, sessionId: string | undefined): Promise<boolean>
  createAccessKey(kernel: Kernel, db: Database, userId: string): Promise<AccessKey>
}

let keeper: Credentials | undefined

/** Called once at start by who keeps them. */
export function keepCredentials(credentials: Credentials): void {
  keeper = credentials
}

export function credentials(): Credentials {
  if (!keeper) throw new Error('nobody keeps credentials: the authentication domain is not registered')
  return keeper
}
