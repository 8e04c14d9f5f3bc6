import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import type { Call } from './access/call.ts'
import type { RegisteredRoute } from './access/guard.ts'
import type { SignIns } from './access/sign-in.ts'
import type { AuditSink } from './audit/audit.ts'
import type { Config } from './config.ts'
import type { Database } from './database/database.ts'
import type { Events } from './events/events.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { NodeLink } from './nodes/node-link.ts'
import type { Nodes } from './nodes/nodes.ts'
import type { TargetAddresses } from './outbound/target-addresses.ts'
import type { Vault } from './secrets/vault.ts'
import type { Certificates } from './tls/certificates.ts'

/**
 * The parts that all domains share. Made once at start and passed to each domain's `register…`
 * function.
 */
export interface Kernel {
  config: Config
  app: FastifyInstance
  db: Database
  pool: pg.Pool
  secrets: Vault
  events: Events
  jobs: Jobs
  /** The nodes of this installation, this one among them. */
  nodes: Nodes
  /** What this node has to do with the others. */
  link: NodeLink
  /** Where targets may be. */
  targetAddresses: TargetAddresses
  /** What this node is known by to browsers and client programs. */
  certificates: Certificates
  audit: AuditSink
  routes: RegisteredRoute[]
  /** Names of organizations by id; the orgs domain fills it in at start. */
  orgNames(): Promise<ReadonlyMap<string, string>>
  /**
   * The same caller with their present roles, for work that outlives its request; undefined when
   * they may not sign in any more.
   */
  callerNow(call: Call): Promise<Call | undefined>
  /** The authentication domain fills it in at start. */
  signIns: SignIns
}
