/** What is to be run where, as the server takes it. */
export interface RunDraft {
  hosts: readonly string[]
  /** Id of the system user. */
  run_as: string
  command: string
  /** Id of the runbook that it is made of. */
  runbook?: string | null
}
