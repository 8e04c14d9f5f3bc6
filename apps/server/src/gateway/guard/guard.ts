import type { Target } from '@sallyport/contract/target.ts'
import type { Notice } from '../session/notice.ts'
import type { Person } from '../session/person.ts'
import type { SessionSummary } from '../session/session-summary.ts'
import type { Typist } from '../session/typist.ts'

/** Input of a person that a rule can be about: a line, a statement, a request. */
export interface Unit {
  text: string
  /** There was more than is kept of one unit: what was cut off can't be judged. */
  isCut: boolean
  /**
   * The whole input, where the text is one reading of it or a part: others are asked about the
   * whole.
   */
  sent?: string
  /** A program's command line, which is run as a whole: nobody types it at the prompt of a shell. */
  isProgram?: boolean
  /** The sender, when it was not the session's person: the rules of that person count. */
  by?: Typist | undefined
}

/** The part of a judgment that the row of a command stores, where a rule decided. */
export interface Grounds {
  /** Id of the rule that decided. */
  rule: string
  /** Its filter's name, as it was then. */
  filter: string
  /** The part of the text that the rule is about. */
  match: string
  /** Id of the ticket that others decided. */
  ticket?: string | undefined
}

/** A denial without grounds: it could not be judged. */
export type Decision =
  | {
      action: 'allow'
      grounds?: Grounds | undefined
      /** Names the person who approved it, for those who waited. */
      approval?: Notice | undefined
    }
  | { action: 'deny'; why: Notice; grounds?: Grounds | undefined }

/** Others are to be asked. */
export interface Confirmation {
  action: 'confirm'
  /** The question whether to go on, which names those who are asked. */
  asks: Notice
  /** The rule that has them asked. */
  grounds?: Grounds | undefined
  /**
   * Place of that rule among all: where several texts are judged, the first one says who is asked.
   */
  place?: number | undefined
  /**
   * Asks them: opens the ticket. What they decide counts for exactly the text that was judged.
   * Aborting `dropped` withdraws the ticket. Rejected with a fault, which counts as denied.
   */
  request(): Promise<Asked>
}

/** Why nobody waits for a confirmation any more, as the reason of its signal; none: the person gave up. */
export type GivenUp = 'session' | 'fault'

/** Others have been asked. */
export interface Asked {
  message: Notice
  /** With the ticket, where there is one. */
  grounds?: Grounds | undefined
  decision: Promise<Decision>
}

export type Verdict = Decision | Confirmation

/** Judges what is sent in one session. */
export interface Guard {
  /**
   * False while no rule is about anybody who may type in this session: then nothing is cut into
   * units, and nothing waits. Asked for every piece of input.
   */
  readonly applies: boolean
  /** Somebody else may type from now on; answers how to tell that they are gone. */
  joined?(userId: string): () => void
  /**
   * Answers at once or later; a fault counts as denied. `dropped` is aborted when the answer is of
   * no use any more.
   */
  judge(unit: Unit, dropped: AbortSignal): Verdict | Promise<Verdict>
  /** Settles when it judges by the rules as they are now. */
  refresh?(): Promise<void>
  /** The session is over. */
  close?(): void
}

/** The person, the account and the target that rules can be about. */
export interface GuardedSession {
  session: SessionSummary
  person: Person
  target: Target
  systemUserId: string
  /** Kind of session. */
  kind?: string
}

/** The judge of a session, asked for once, when its machine has accepted. */
export type GuardOf = (guarded: GuardedSession) => Guard

/** No rule is obeyed. */
export const UNGUARDED: Guard = { applies: false, judge: () => ({ action: 'allow' }) }
