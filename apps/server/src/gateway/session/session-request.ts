import type { Target } from '@sallyport/contract/target.ts'
import type { ForwardingRight } from '../../domains/perms/forwarding/index.ts'
import type { MachineNow } from '../../domains/perms/index.ts'
import type { MachineConnections } from '../machines/machine-connections.ts'
import type { Dialogue } from './dialogue.ts'
import type { PermittedDatabases } from './permitted-databases.ts'
import type { Person } from './person.ts'
import type { SessionSummary } from './session-summary.ts'

/**
 * The person, the target and the system user of a session to open. The kind of session adds the
 * person's side to it.
 */
export interface RequestBase {
  person: Person
  target: Target
  systemUserId: string
  dialogue: Dialogue
  /** Place in the target, for the session's row. */
  detail?: string
  /** It is within a session that reviewers have confirmed, where a rule says so. */
  isReviewed?: boolean
  /** Machines where the same connection of the person is logged in. */
  machines?: MachineConnections
  /** Kept up to date while the session lasts, for a page that asks the server beside it. */
  databases?: PermittedDatabases
  /** Called with what the permission says, each time that it is asked for while the session lasts. */
  onForwardingRight?(right: ForwardingRight, machine: MachineNow | undefined): void
  /** Called when the session's row exists, whether or not the machine accepts. */
  onCreated?(session: SessionSummary): void
}
