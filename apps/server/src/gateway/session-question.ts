import type { Dialogue } from './dialogue.ts'
import type { Owner, Person, Program } from './types.ts'

/** The wish for a session. */
export interface SessionQuestion {
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

/** What a listener tells its client about the session. */
export interface SessionSummary {
  id: string
  user: string
  asset: string
  system_user: string
  user_id: string
  asset_id: string
  system_user_id: string
  protocol: string
  login_from: string
  remote_addr: string
  org_id: string
  date_start: string
}
