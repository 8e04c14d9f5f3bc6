import { performance } from 'node:perf_hooks'

/** The kinds that are counted when the suite's cost is measured (`npm run test:cost`). */
export type Work = 'browsers' | 'databases' | 'installations' | 'servers'

/** Does a piece of work and marks how long it took. */
export async function measured<T>(kind: Work, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  try {
    return await work()
  } finally {
    performance.measure(kind, { start, end: performance.now() })
  }
}
