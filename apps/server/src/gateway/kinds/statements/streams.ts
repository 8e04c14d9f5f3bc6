import type { StreamEnd } from '../../session/live-session.ts'
import type { Notice } from '../../session/notice.ts'

/**
 * One thing that a client asks a server for: an SQL statement, or a command of a key-value store.
 */
export interface Statement {
  /** All of it, as the guard judges and the recording stores it. */
  text: string
  /** As the client sent it and the server gets it. */
  bytes: Buffer
}

/** A server's answer to a statement. */
export interface Outcome {
  /** Rows answered or changed; undefined where the protocol does not tell. */
  rows?: number
  /** The server's own error message. */
  error?: string
}

/**
 * A connector's side of a session: statements to one server and its answers, in the order of the
 * statements.
 */
export interface StatementTarget {
  /**
   * Nothing is read before this, nor lost. `outcome` comes with the last bytes of an answer;
   * `onEnd` is called once, as the last.
   */
  start(onAnswer: (bytes: Buffer, outcome?: Outcome) => void, onEnd: (end: StreamEnd) => void): void
  send(statement: Statement): void
  /** Cancels what is running, where the protocol can do that. */
  cancel(): void
  /** Bytes sent that the server has not accepted yet. */
  pending(): number
  pause(): void
  resume(): void
  close(): void
}

/** The person's side of a session: a client of the protocol, or a page that speaks it for them. */
export interface StatementOwner {
  /**
   * The server's answer as it came. False when the person's connection can't keep up: the session
   * waits for `ownerDrained`.
   */
  write(bytes: Buffer): boolean
  /**
   * The statement was not sent on: writes the protocol's own error in place of its answer. The
   * session stays usable.
   */
  refuse(statement: Statement, why: Notice): void
  /** Tells it in the protocol's own way, where it has one. */
  tell(what: Notice): void
  /** The session has ended; what was written before is still sent. */
  close(end: StreamEnd): void
}

/** What a person brings to a session of this kind. */
export interface StatementEnd {
  owner: StatementOwner
}
