/** The capacity of nodes, as it was measured on them (docs/capacity.md). */

export const CAPACITY_PATH = '/api/v1/terminal/capacity/'

/** Live sessions that one node carries at most; each costs memory and two sockets. */
export const NODE_SESSIONS = 1_000

export type CapacityUnit = 'milliseconds' | 'per second' | 'megabytes a second' | 'megabytes' | 'count'

/** All figures, in the order in which they are shown. The main thread is the one processor that a node works on. */
export const CAPACITY_FIGURES = {
  /** Median and 95th percentile of a small question to the database. */
  database: 'milliseconds',
  database_p95: 'milliseconds',
  /** Median of a row that is on the database's disk. */
  database_commit: 'milliseconds',
  /** Median of a small file: written to the store of recordings, read and removed. */
  store: 'milliseconds',
  store_write: 'megabytes a second',
  store_read: 'megabytes a second',
  /** 95th percentile of a page of 15 rows of the longest lists, without the network. */
  list_p95: 'milliseconds',
  /** Added to a key and its echo by a session, while other terminals print: median and 99th percentile. */
  key: 'milliseconds',
  key_p99: 'milliseconds',
  /** Main thread for a key, and for a command with its output of 1,500 bytes. */
  key_cpu: 'milliseconds',
  command_cpu: 'milliseconds',
  /** Sessions opened and closed one after the other; the main thread for each, and all threads of the node. */
  sessions: 'per second',
  session_cpu: 'milliseconds',
  session_threads: 'milliseconds',
  /** Openings and ends that the database takes, four at a time. */
  session_rows: 'per second',
  /** Small statements of one client one after the other, and the main thread for each. */
  statements: 'per second',
  statement_cpu: 'milliseconds',
  /** Rows of commands that the database takes, in batches of the journal. */
  command_rows: 'per second',
  /** Output of one terminal, recorded, and the main thread for a megabyte. */
  output: 'megabytes a second',
  output_cpu: 'milliseconds',
  /** A recording is packed, and a moment in the middle of it is read. */
  replay_write: 'megabytes a second',
  replay_seek: 'milliseconds',
  /** Free when the measurement began: of the machine, and of the disk for recordings. */
  free_memory: 'megabytes',
  free_disk: 'megabytes',
  /** That the node may use. */
  processors: 'count',
} as const satisfies Readonly<Record<string, CapacityUnit>>

export type CapacityFigure = keyof typeof CAPACITY_FIGURES
export type CapacityFigures = Readonly<Partial<Record<CapacityFigure, number>>>

/** What may be full first. */
export type CapacityPart = 'processor' | 'database' | 'store' | 'memory' | 'sessions'

/** The capacity of a node, by its figures. */
export interface Capacity {
  /** People at work in terminals at the same time. */
  people: number
  /** Its parts, each with the people for whom it suffices: the first is full first. */
  parts: readonly { part: CapacityPart; people: number }[]
  sessions_a_minute: number
  statements_a_second: number
  /** Hours of a person's terminal that the free disk keeps. */
  hours_kept: number
}

/**
 * `gave_way`: it stopped because the node was late at its work. `canceled`: somebody stopped it.
 * `failed`: `fault` says why.
 */
export type CapacityState = 'waiting' | 'running' | 'done' | 'canceled' | 'gave_way' | 'failed'

export interface CapacityMachine {
  version: string
  /** Those that the node may use. */
  processors: number
  model: string
  memory: number
  node: string
  postgres: string
  /** Whether the store of recordings is the disk of this node. */
  store: 'disk' | 'bucket'
}

export interface CapacityRun {
  id: string
  node: string
  node_name: string
  state: CapacityState
  /** In words of the caller's language; empty where nothing is wrong. */
  fault: string
  asked_by: string
  date_asked: string
  date_finished: string | null
  /** Steps that are done, and all. */
  done: number
  total: number
  figures: CapacityFigures
  /** Null where too little was measured. */
  capacity: Capacity | null
  machine: CapacityMachine | null
}

/** The busiest minute of a day on a node. */
export interface CapacityDay {
  node: string
  node_name: string
  /** `2026-11-29`, by the clock of the server. */
  day: string
  /** Live sessions, new sessions of a minute, statements and commands of a second. */
  sessions: number
  opened: number
  commands: number
  /** The largest of them in percent of what the node carried when it was measured last. */
  percent: number
}

export interface CapacityNode {
  id: string
  name: string
  /** Whether it runs and carries sessions: then it can be measured. */
  is_measurable: boolean
}

export interface CapacityReport {
  nodes: readonly CapacityNode[]
  /** The newest whole measurement of each node, of those that run. */
  newest: readonly CapacityRun[]
  /** All nodes together, in the caller's language: what they carry, and what is full first. */
  sentence: string
  full_first: string
  capacity: Capacity | null
  /** The run that waits or goes on. */
  current: CapacityRun | null
  /** Newest first. */
  history: readonly CapacityRun[]
  days: readonly CapacityDay[]
  /** Percent from which on a day is reported; 0: never. */
  limit: number
  /** Names in the caller's language. */
  titles: Readonly<Record<CapacityFigure, string>>
  part_titles: Readonly<Record<CapacityPart, string>>
}
