import type { Cluster } from '../cluster.ts'
import type { Resources } from './resources.ts'

/** What a command has to work with. */
export interface CommandRun {
  cluster: Cluster
  resources: Resources
  /** Where it looks, unless it says where. */
  namespace: string
  /** Breaks it off. */
  signal: AbortSignal
  /** Settles when they have been taken: until then nothing more is to be read. */
  show(lines: readonly string[]): Promise<void>
}
