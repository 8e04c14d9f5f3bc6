/** What a listener offers before a session stands: a word on how far it is, and questions. */
export interface Dialogue {
  /** Says what is being done, for as long as it takes. Absent where nobody reads. */
  progress?(text: string): Progress
  /**
   * Undefined when the person gave up (Ctrl-C, Ctrl-D, closed) or did not answer in time. Hidden
   * answers are not shown while they are typed.
   */
  ask(prompt: string, options: { echo: boolean }): Promise<string | undefined>
  /**
   * Shows a line, and under it what is waited for with its seconds, until the signal aborts
   * (`over`) or the person leaves with q, Ctrl-C or Ctrl-D. Absent where nobody reads or types.
   */
  wait?(heading: string, text: string, signal: AbortSignal): Promise<'over' | 'left'>
}

export interface Progress {
  /** Stands still while the person answers a question. */
  pause(): void
  goOn(): void
  /** It is done, or given up: nothing of it stays. */
  end(): void
}
