import type { BegunCommand } from '../../../session/command-log.ts'
import type { Typist } from '../../../session/typist.ts'
import type { TerminalSize } from '../streams.ts'

/** A command that runs, or is about to; what comes of it gathers here. */
export interface RunningCommand {
  output: string
  /** See `BeginCommand`. */
  end(output: string): void
}

/** Recognizes commands in both directions of a session. */
export interface CommandReader {
  /** Whether a full-screen program is on. */
  readonly fullScreen: boolean
  /** The cursor's line up to the cursor, as it is shown; empty where that is unknown. */
  lineBeforeCursor(): string
  output(text: string): void
  /**
   * `by`: who typed it, when it was not the session's person; `grounds`: of the line that ends here.
   */
  input(text: string, by?: Typist, grounds?: BegunCommand['grounds']): void
  /**
   * The line that is being typed was emptied: nothing of it is run. `isSeen`: it is known to be.
   */
  cleared(isSeen?: boolean): void
  resize(size: TerminalSize): void
  /**
   * To be called when nothing has come for a while: a command is complete once its prompt is back.
   */
  settle(): void
  end(): void
}
