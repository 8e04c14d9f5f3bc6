import { createContext, Script } from 'node:vm'

/** A slow expression must not hold up the sessions of everybody. */
const WORK_MS = 50

const sandbox = createContext(Object.create(null) as { work: () => unknown })
const working = new Script('work()')

/** After a pause it is done again, with so many times as long to wait: three times at most. */
const LONGER = 2
const TRIES = 4

/**
 * Does work that an administrator's expression or a text from outside may make endless. Throws when
 * it takes too long: that many milliseconds, in which it was really done. Where the process was
 * paused meanwhile the work begins again, so it may be begun several times. Starting the guard takes
 * a tenth of a millisecond, and more on a busy machine.
 */
export function guarded<T>(work: () => T, timeout = WORK_MS): T {
  sandbox.work = work
  let wait = timeout
  for (let tries = 1; ; tries++, wait *= LONGER) {
    const before = process.threadCpuUsage()
    try {
      return working.runInContext(sandbox, { timeout: wait }) as T
    } catch (error) {
      const { user, system } = process.threadCpuUsage(before)
      const isPaused = (user + system) / 1000 < timeout / 2
      if (!isTimeout(error) || !isPaused || tries === TRIES) throw error
    }
  }
}

function isTimeout(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
