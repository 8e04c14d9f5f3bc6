import type { CapacityFigures } from '@sallyport/contract/resources/monitor/capacity.ts'
import type { Kernel } from '../../../kernel/kernel.ts'

export interface MeasureOptions {
  /** Stops it; its reason is thrown. */
  signal: AbortSignal
  /** By so many milliseconds the node may be late at its work: from there on the measurement gives way. */
  lateMs: number
  /** All of it so many times, spread over the time; the figures are the medians. */
  rounds: number
  /** Told before the first step and after each. */
  onStep(done: number, total: number): void
  /** Stores a row of the measurement itself, on the database's disk. */
  commit(): Promise<void>
}

/** The node was late at its work, for people or for other programs of its machine. */
export class GaveWay extends Error {}

/**
 * Measures what this node can do. Leaves nothing: no row, no file, no open port. Throws GaveWay, the
 * reason of the signal, and what disk, store or database throw.
 */
export type Measure = (kernel: Kernel, options: MeasureOptions) => Promise<CapacityFigures>
