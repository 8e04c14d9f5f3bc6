import type { ResultSink } from './output/result.ts'

/** Events of a reader of answers, besides the output. */
export interface AnswerHost {
  /** The server waits for the next statement. */
  ready(): void
  /** Bytes that the server waits for now, to go on. */
  send(bytes: Buffer): void
}

/** Reads what one server answers, one statement after the other. */
export interface Answers {
  /** Sets the sink of the answer to the next statement. */
  into(sink: ResultSink, statement: string): void
  /** Throws ProtocolViolation. */
  read(bytes: Buffer): void
}

/** Hears of what nobody asked for, such as a setting that changes. */
export const NOBODY: ResultSink = { columns() {}, row() {}, message() {}, done() {} }
