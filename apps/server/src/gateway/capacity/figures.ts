/** Cost of a piece of work. */
export interface Took {
  /** By the clock. */
  milliseconds: number
  /** Main thread: the one processor that a node works on. */
  cpu: number
  /** All threads of the process. */
  threads: number
}

/** The clock of processor time goes by steps on some machines: nothing costs less than one. */
const STEP_MS = 1

export async function timed(work: () => Promise<unknown>): Promise<Took> {
  const [since, all, cpu] = [performance.now(), process.cpuUsage(), process.threadCpuUsage()]
  await work()
  const [own, together] = [process.threadCpuUsage(cpu), process.cpuUsage(all)]
  const inMs = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000
  return { milliseconds: performance.now() - since, cpu: Math.max(inMs(own), STEP_MS), threads: inMs(together) }
}

/** The value below which that part of the values is; NaN of none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)
