import type { Cluster } from '../cluster.ts'
import type { Resources } from './resources.ts'

/** Surroundings of a command. */
export interface CommandRun {
  cluster: Cluster
  resources: Resources
  /** Namespace in which it looks, unless it names one. */
  namespace: string
  /** Breaks it off. */
  signal: AbortSignal
  /** Settles when they have been taken: until then nothing more is to be read. */
  show(lines: readonly string[]): Promise<void>
}
