const TRIES = 6
let firstPauseMs = 500

/**
 * Tries again what failed because a database was down for a moment: six times within a quarter of a
 * minute, with doubled pauses. Throws the last error. Does not keep the process from ending.
 */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await work()
    } catch (error) {
      if (n === TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, firstPauseMs * 2 ** (n - 1)).unref())
    }
  }
}

/** For tests in which all tries fail: six times within half a second. Answers what takes that back. */
export function retryBriefly(): () => void {
  const before = firstPauseMs
  firstPauseMs = 15
  return () => {
    firstPauseMs = before
  }
}
