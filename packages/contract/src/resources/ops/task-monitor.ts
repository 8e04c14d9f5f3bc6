/** Queues, workers and jobs as the task monitor sees them (docs/rules/ops.md#task_monitor). */

export const MONITOR_PATH = '/api/v1/ops/monitor/'

export type JobState = 'waiting' | 'running' | 'failed' | 'done' | 'cancelled'

/** A queue now, and in the last hour. */
export interface QueueFigures {
  queue: string
  /** Name of periodic work, in the caller's language; empty for other work. */
  title: string
  /** Due, and not begun. */
  waiting: number
  /** To be begun later. */
  later: number
  running: number
  /** Figures of the last seven days. */
  failed: number
  done_hour: number
  failed_hour: number
  /** How long one took in that hour, in seconds. */
  seconds: number | null
  /** Since when the oldest of `waiting` is due. */
  oldest_waiting: string | null
}

/** A node that works, and at what. */
export interface WorkerNode {
  id: string
  name: string
  roles: readonly string[]
  /** False where it could not be asked. */
  is_reached: boolean
  work: readonly { queue: string; concurrency: number; running: readonly string[] }[]
}

export interface MonitoredJob {
  id: string
  queue: string
  title: string
  state: JobState
  date_created: string
  /** When it is to be begun. */
  date_due: string
  date_start: string | null
  date_finished: string | null
  /** How often it was begun. */
  tries: number
  /** Why it failed last; empty where it did not. */
  error: string
  /** Whether there is output to read. */
  has_log: boolean
  can_cancel: boolean
  can_retry: boolean
}
