/** What a listener offers before a session stands: lines for the person, and questions. */
export interface Dialogue {
  show(text: string): void
  /** Undefined when the person gave up (Ctrl-C, Ctrl-D, closed) or did not answer in time. Hidden answers are not shown while they are typed. */
  ask(prompt: string, options: { echo: boolean }): Promise<string | undefined>
  /**
   * Shows a line, and under it what is waited for with its seconds, until the signal aborts (`over`) or the person leaves with q, Ctrl-C or Ctrl-D.
   * Absent where nobody reads or types.
   */
  wait?(heading: string, text: string, signal: AbortSignal): Promise<'over' | 'left'>
}
