import type { Target } from '@sallyport/contract/target.ts'
import type { Notice } from '../session/notice.ts'
import type { Person } from '../session/person.ts'
import type { SessionSummary } from '../session/session-summary.ts'

/** What a person sends that a rule can be about: a line, a statement, a request. */
export interface Unit {
  text: string
  /** There was more than is kept of one unit: what was cut off can't be judged. */
  isCut: boolean
  /** Who sent it, when it was not the session's person. */
  by?: string | undefined
}

export type Decision = { action: 'allow' } | { action: 'deny'; why: Notice }

/** `confirm`: somebody else is asked, which the person is told; what they decide counts. */
export type Verdict = Decision | { action: 'confirm'; told: Notice; decision: Promise<Decision> }

/** Judges what is sent in one session. */
export interface Guard {
  /**
   * False while no rule is about this session: then nothing is cut into units, and nothing waits.
   * Asked for every piece of input.
   */
  readonly applies: boolean
  /**
   * Answers at once or later; a fault counts as denied. `dropped` is aborted when the answer is of
   * no use any more.
   */
  judge(unit: Unit, dropped: AbortSignal): Verdict | Promise<Verdict>
}

/** Who sends what where: what rules can be about. */
export interface GuardedSession {
  session: SessionSummary
  person: Person
  target: Target
  systemUserId: string
}

/** The judge of a session, asked for once, when its machine has accepted. */
export type GuardOf = (guarded: GuardedSession) => Guard

/** No rule is obeyed. */
export const UNGUARDED: Guard = { applies: false, judge: () => ({ action: 'allow' }) }
