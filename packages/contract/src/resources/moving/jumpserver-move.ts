/** Moving in from JumpServer, as the page of system administrators does it (docs/moving-from-jumpserver.md). */

export const MOVE_PATH = '/api/v1/moving/jumpserver/'

/**
 * `look`: the version and counts. `try`: the import, of which nothing is left. `prove`: who reaches what,
 * of an import made before. `try_take_back`: the taking back, likewise.
 */
export const MOVE_TASKS = ['look', 'try', 'import', 'prove', 'try_take_back', 'take_back'] as const
export type MoveTask = (typeof MOVE_TASKS)[number]

export const MOVE_ENGINES = ['mysql', 'postgres'] as const
export type MoveEngine = (typeof MOVE_ENGINES)[number]

/** Whether the connection to their database is encrypted, and whether its certificate is checked. */
export const MOVE_ENCRYPTION = ['none', 'unchecked', 'checked'] as const
export type MoveEncryption = (typeof MOVE_ENCRYPTION)[number]

export type MoveState = 'running' | 'done' | 'failed' | 'stopped'

export interface MoveRun {
  id: string
  task: MoveTask
  state: MoveState
  /** Why it failed, in the caller's language; empty where nothing is wrong. */
  fault: string
  /** The node that is at it. */
  node_name: string
  asked_by: string
  /** Their database without the password, or the name of an import that is taken back. */
  source: string
  /** Their version, once it is known. */
  version: string
  /** The part that is under way, in the caller's language. */
  stage: string
  stages_done: number
  stages: number
  /** Rows that were read so far. */
  rows: number
  date_started: string
  date_finished: string | null
  has_report: boolean
  /** Whether there is a file of the rights that differ. */
  has_differences: boolean
}

/** Rows about which the same is said. */
export interface MoveRemark {
  count: number
  /** Some of them by name, and the words about these. */
  lines: readonly { words: string; names: readonly string[] }[]
}

/** How rows of one kind fared; see the report of the import. */
export interface MoveKind {
  label: string
  read: number
  added: number
  updated: number
  same: number
  behind: number
  /** What changes on the way, and what stays behind. */
  changed: readonly MoveRemark[]
  stays: readonly MoveRemark[]
}

export interface MoveProof {
  people: number
  rights: number
  lost: number
  gained: number
  causes: readonly { words: string; count: number }[]
}

export interface MoveTaken {
  label: string
  removed: number
  stays: number
}

/** The parts that a task has; the others are left out. */
export interface MoveResult {
  counts?: readonly { label: string; count: number }[]
  kinds?: readonly MoveKind[]
  proof?: MoveProof
  taken?: readonly MoveTaken[]
}

export interface MoveReport {
  current: MoveRun | null
  /** The newest run that has ended, with its result. */
  latest: (MoveRun & { result: MoveResult }) | null
  /** Newest first. */
  runs: readonly MoveRun[]
  /** Names of the installations of which something has come. */
  installations: readonly string[]
}
