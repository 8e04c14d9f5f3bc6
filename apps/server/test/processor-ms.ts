/**
 * Milliseconds of a processor that this thread takes for the work. By the clock, a busy machine takes many times as
 * long for the same.
 */
export function processorMs(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
