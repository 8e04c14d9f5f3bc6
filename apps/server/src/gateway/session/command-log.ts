import type { Typist } from './typist.ts'

/** A command, statement or request that goes to the target, or was denied. */
export interface BegunCommand {
  input: string
  /** Unix seconds. */
  timestamp: number
  /** The sender, if it was not the session's person. */
  by?: Typist | undefined
  /** docs/rules/terminal.md#command; 0 when nothing is said. */
  risk?: number
  /** The whole statement, where the text of a row is too short for it. */
  statement?: BegunStatement | undefined
  /** The rule that decided, where one did, and the ticket in which others did. */
  grounds?: { rule: string; filter: string; ticket?: string | undefined } | undefined
}

/** A statement as it goes to a server. */
export interface BegunStatement {
  /** All of it, but of a very long one. */
  text: string
  /** Size of the whole, in bytes. */
  bytes: number
  database: string
  /** Name that the client gives itself. */
  program: string
}

/** Outcome of a statement. */
export interface StatementEnd {
  /** Hash of the whole, in hexadecimal digits. */
  sha256: string
  milliseconds: number
  rows?: number | undefined
  error?: string | undefined
  code?: string | undefined
}

/** docs/rules/terminal.md#command: of a command that was denied. */
export const DENIED_RISK = 5

/** Writes a command down. Answers what is to be called, once, with what came of it. */
export type BeginCommand = (command: BegunCommand) => EndCommand

/**
 * Ends a command that began as a statement: its outcome is asked for within a moment, and written
 * together with those of others.
 */
export type EndCommand = (came: string | (() => EndedStatement)) => void

export interface EndedStatement {
  output: string
  statement: StatementEnd
}

/** Log of a session's commands, which are written before they go on, as far as that is known. */
export interface CommandLog {
  begin: BeginCommand
  /** The same, written by `write` with all others that have begun so; before that none of them may go on. */
  beginTogether: BeginCommand
  write(): void
  /** Something waits for its turn to begin: `written` says when it had that. */
  readonly isHeldBack: boolean
  /** Settles when all that has begun is written down, or can't be; undefined when nothing waits. */
  written(): Promise<void> | undefined
  /** A command can't be written down, as on a full disk. */
  onFailure: (error: Error) => void
}

/** Sends when all that has begun is written down; at once, and without a promise, if it is. */
export function onceWritten(commands: CommandLog, send: () => void): Promise<void> | undefined {
  const written = commands.written()
  if (written) return written.then(send)
  send()
  return undefined
}
