import type { Owner, Program } from './kinds/terminal/streams.ts'
import type { Dialogue } from './session/dialogue.ts'
import type { Person } from './session/person.ts'
import type { SessionSummary } from './session/session-summary.ts'

/** What somebody wants a session to be. */
export interface SessionOpening {
  person: Person
  assetId: string
  systemUserId: string
  program: Program
  owner: Owner
  dialogue: Dialogue
  /** Gives up; its reason is what the person is told. */
  signal: AbortSignal
  /** Milliseconds. */
  now: () => number
  /** The session's row exists from here on, whether the machine accepts or not. */
  onCreated?: (session: SessionSummary) => void
}
