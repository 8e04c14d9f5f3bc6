import type { StepResult } from '@sallyport/contract/resources/ops/adhoc.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Become } from '../../../kernel/ssh/script.ts'
import type { TaskLog } from '../background-task.ts'

/** A machine of a run, and how people read it. */
export interface RunHost {
  id: string
  name: string
}

/** What became of the steps on one machine, by step; the machine succeeded where all did. */
export type HostResults = Record<string, StepResult>

/** A run, as its kind of work sees it. */
export interface TaskRun {
  /** Id of the execution and the background task. */
  id: string
  /** The machines on which it is not over: all of them, unless the node that began it was lost. */
  hosts: readonly string[]
  data: Readonly<Record<string, unknown>>
  /** How its steps switch the user, where people said so; otherwise as the kind does. */
  become: Become | undefined
  log: TaskLog
  /** Aborted when somebody cancels the run. */
  signal: AbortSignal
  /**
   * Does the work on each machine, some at a time, and stores its result at once. Counts machines,
   * or their steps where each counts by itself.
   */
  each<H extends RunHost>(
    hosts: readonly H[],
    work: (host: H) => Promise<HostResults>,
    counts?: 'hosts' | 'steps',
  ): Promise<RunSummary>
}

export interface RunSummary extends Record<string, unknown> {
  success: number
  failed: number
  skipped: number
}

/** How a kind of task is carried out; answers its result in short. */
export type TaskKind = (kernel: Kernel, run: TaskRun) => Promise<RunSummary>

const kinds = new Map<string, TaskKind>()

/** Declares a kind of task, named `<domain>.<verb>`, at start. */
export function taskKind(name: string, work: TaskKind): void {
  kinds.set(name, work)
}

export const findTaskKind = (name: string): TaskKind | undefined => kinds.get(name)
