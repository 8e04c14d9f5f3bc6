import type { StreamEnd } from '../../session/live-session.ts'
import type { Notice } from '../../session/notice.ts'

/** One thing that a client asks of a server: an SQL statement, a command of a key-value store. */
export interface Statement {
  /** As the guard and the record read it, whole. */
  text: string
  /** As the client sent it, and as the server gets it. */
  bytes: Buffer
}

/** What a server has answered to a statement. */
export interface Outcome {
  /** Rows that came, or were changed; undefined where the protocol does not say. */
  rows?: number
  /** The server's own words. */
  error?: string
}

/**
 * A connector's side of a session: statements to one server, and what it answers, in the order of
 * the statements.
 */
export interface StatementTarget {
  /**
   * Nothing is read, and nothing lost, before this. `outcome` comes with the last bytes of an
   * answer; `onEnd` once and last.
   */
  start(onAnswer: (bytes: Buffer, outcome?: Outcome) => void, onEnd: (end: StreamEnd) => void): void
  send(statement: Statement): void
  /** What runs now is broken off, where the protocol can do that. */
  cancel(): void
  /** Bytes sent that the server has not taken yet. */
  pending(): number
  pause(): void
  resume(): void
  close(): void
}

/** The person's side of a session: a client of the protocol, or a page that speaks it for them. */
export interface StatementOwner {
  /**
   * The server's answer, as it came. False when the person's line is behind: `ownerDrained` of the
   * session must follow.
   */
  write(bytes: Buffer): boolean
  /**
   * The statement was not sent on: the protocol's own error, in the place of its answer. The
   * session stays usable.
   */
  refuse(statement: Statement, why: Notice): void
  /** Said in the protocol's own way, where it has one. */
  tell(what: Notice): void
  /** The session is over; what was written before still goes out. */
  close(end: StreamEnd): void
}

/** What a person brings to a session of this kind. */
export interface StatementEnd {
  owner: StatementOwner
}
