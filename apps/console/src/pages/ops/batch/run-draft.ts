/** Command and targets of a run, as the server takes them. */
export interface RunDraft {
  hosts: readonly string[]
  /** Id of the system user. */
  run_as: string
  command: string
  /** Id of the runbook that it is made of. */
  runbook?: string | null
}
