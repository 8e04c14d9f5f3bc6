import type { StreamEnd } from '../../session/live-session.ts'
import type { Notice, NoticeCode } from '../../session/notice.ts'

/**
 * One thing that a client asks a server for: an SQL statement, or a command of a key-value store.
 */
export interface Statement {
  /** As the guard judges and the recording stores it. */
  text: string
  /** Other readings of its bytes, where the server may read in another encoding: judged as well. */
  others?: readonly string[] | undefined
  /** There is more of it than `text` has: what is missing can't be judged. */
  isCut?: boolean | undefined
  /** As the client sent it and the server gets it; of a long one the beginning. */
  bytes: Buffer
  /** Its part in preparing a statement and running it; undefined for one that is sent and run at once. */
  step?: PreparedStep | undefined
  /** Database where it runs, if that is not where the session began. */
  database?: string | undefined
  /** Why it is refused whatever the rules say. */
  forbidden?: Notice | undefined
  /**
   * Bytes that the server gets in its place when it is refused. The server itself refuses them with
   * these words: for protocols in which no other answer keeps the server's state in step.
   */
  substitute?(words: string, why: NoticeCode): Buffer
}

/** One step of a statement that is first prepared and then run. */
export type PreparedStep =
  /** Only has the text prepared: what can't be prepared has a row, what is run has its own. */
  | { is: 'preparation' }
  /** The run of what was judged a moment ago, when it was prepared; on the grounds of that one. */
  | { is: 'judgedRun'; preparation?: Statement }
  /**
   * The run of what is still being prepared: `until` settles when that is over, with why nothing can
   * be run where it failed. Until then it is neither judged nor sent, and has no row if it can't be.
   */
  | { is: 'waitingRun'; until: Promise<Notice | undefined> }
  /** Part of a statement that was judged and has the row; it has no outcome of its own. */
  | { is: 'part'; of: Statement }

/** The statement that has the row and the outcome of this one: itself, but for a part. */
export const withRow = (statement: Statement): Statement =>
  statement.step?.is === 'part' ? statement.step.of : statement

/** A server's answer to a statement. */
export interface Outcome {
  /** Type of the reply, where the protocol has several. */
  reply?: string
  /** Rows answered or changed; undefined where the protocol does not tell. */
  rows?: number
  /** The server's own error message. */
  error?: string | undefined
  /** And its code. */
  code?: string | undefined
}

/** Events of a target. */
export interface TargetListener {
  /** The server's bytes, in their order. */
  answer(bytes: Buffer): void
  /** Outcome of a statement, once its answer has gone out. */
  outcome(statement: Statement, outcome: Outcome): void
  /** Called once, as the last. */
  end(end: StreamEnd): void
}

/** A connector's side of a session: what one server is sent, and its answers. */
export interface StatementTarget {
  /** Nothing is read before this, nor lost. */
  start(listener: TargetListener): void
  /**
   * Bytes sent from now on go out together, and not before `uncork`. Targets that can't do that
   * have neither.
   */
  cork?(): void
  uncork?(): void
  send(statement: Statement): void
  /** Sends bytes between statements, or in place of one. */
  pass(bytes: Buffer): void
  /** Cancels what is running, where the protocol can do that. */
  cancel(): void
  /** Bytes sent that the server has not accepted yet. */
  pending(): number
  /** Calls back once the server has accepted what was sent. */
  onceTaken(then: () => void): void
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
   * The statement was not sent on, nor anything in its place: writes the protocol's own error in
   * place of its answer. The session stays usable.
   */
  refuse(statement: Statement, why: Notice): void
  /** Tells it in the protocol's own way, where it has one. */
  tell(what: Notice): void
  /**
   * Others have decided on the statement that was reported to wait for them. Where it answers a reason,
   * the statement is not sent on all the same.
   */
  decided?(): Promise<Notice | undefined> | undefined
  /** The session has ended; what was written before is still sent. */
  close(end: StreamEnd): void
}

/** Input of a client, cut into its statements. */
export interface ClientPieces {
  statement(statement: Statement): void
  /** More of a statement that is longer than its `bytes`. */
  rest(statement: Statement, bytes: Buffer): void
  /** Bytes between statements. */
  pass(bytes: Buffer): void
  /** The client takes its leave. */
  leave(): void
}

/** The client's end as its protocol has it, for the connector of that protocol. */
export interface ClientWire {
  readonly protocol: string
  /**
   * A statement as the server may read it, without comments, which is judged as well. Undefined when it may read it in
   * more ways than are looked at.
   */
  readAs(text: string): readonly string[] | undefined
  /** See `Statement.others`: of a text that we write ourselves. */
  othersOf?(text: string): readonly string[] | undefined
  /** Database of its statements, and the client's name for itself; known once it is connected. */
  readonly place: { database: string; program: string }
}

/** A person's side of a session of this kind. */
export interface StatementEnd {
  owner: StatementOwner
  /** Wire of a client of the protocol, where there is one. */
  wire?: ClientWire | undefined
  /**
   * Called once the server has accepted. What is asked over another connection is neither judged nor
   * recorded, so it is never what a person wrote.
   */
  onReached?(again: ConnectAgain): void
}

/** Connects to the server of a session once more. Throws what a connector throws. */
export type ConnectAgain = (end: StatementEnd, signal: AbortSignal) => Promise<StatementTarget>
