/** Progress and questions that a listener offers before a session is live. */
export interface Dialogue {
  /** Says what is being done, for as long as it takes. Absent where nobody reads. */
  progress?(text: string): Progress
  /** Says it beside the program's own output. Missing where questions can be asked. */
  tell?(text: string): void
  /**
   * Undefined when the person gave up (Ctrl-C, Ctrl-D, closed) or did not answer in time. With
   * `echo` off, the answer is not shown while it is typed.
   */
  ask(prompt: string, options: { echo: boolean }): Promise<string | undefined>
  /**
   * Shows a line and, below it, what is waited for with its seconds, until the signal aborts
   * (`over`) or the person leaves with q, Ctrl-C or Ctrl-D. Missing where nobody reads or types.
   */
  wait?(heading: string, text: string, signal: AbortSignal): Promise<'over' | 'left'>
  /** What came of a wait, in the place of its lines. */
  say?(text: string): void
}

export interface Progress {
  /** Pauses while the person answers a question. */
  pause(): void
  goOn(): void
  /** Removes it, when the work is done or given up. */
  end(): void
}
