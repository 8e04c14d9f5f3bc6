import type { Target } from '@sallyport/contract/target.ts'
import type { Dialogue } from './dialogue.ts'
import type { Person } from './person.ts'
import type { SessionSummary } from './session-summary.ts'

/** Who wants to go where, as whom. What they bring to it is said by the kind of the session. */
export interface RequestBase {
  person: Person
  target: Target
  systemUserId: string
  dialogue: Dialogue
  /** The session's row exists from here on, whether the machine accepts or not. */
  onCreated?(session: SessionSummary): void
}
