const TRIES = 6
const FIRST_PAUSE_MS = 500

/**
 * Tries again what failed because a database was away for a moment: six times within a quarter of a
 * minute, the pauses double. Throws what the last try threw. A process that ends does not wait for
 * it.
 */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await work()
    } catch (error) {
      if (n === TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** (n - 1)).unref())
    }
  }
}
