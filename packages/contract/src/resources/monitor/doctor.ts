/** The health check of the installation (docs/doctor.md): findings of each node. */

export const DOCTOR_PATH = '/api/v1/doctor/'

/** From good to bad. */
export const FINDING_STATES = ['ok', 'not checked', 'warning', 'error'] as const
export type FindingState = (typeof FINDING_STATES)[number]

export interface Finding {
  /** Stable: `<part>` or `<part>.<what>`. */
  name: string
  /** What it is about, in the caller's language, like `words` and `mend`. */
  title: string
  /** The port, node or certificate; empty where the check looks at one thing only. */
  subject: string
  state: FindingState
  words: string
  /** What to do; empty where nothing is to be done. */
  mend: string
}

export interface NodeHealth {
  id: string
  name: string
  /** `never`: not since the node started. `unreachable`: it could not be asked. */
  state: 'never' | 'running' | 'done' | 'unreachable'
  date_started: string | null
  date_finished: string | null
  /** Checks of this run, and those that have ended. */
  total: number
  done: number
  /** Faults first; grows while it runs. */
  findings: readonly Finding[]
}

export interface Health {
  nodes: readonly NodeHealth[]
}
