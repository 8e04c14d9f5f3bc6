import { inBackground } from '../../../kernel/background.ts'
/**
 * Does something with what comes, one after the other. However much comes meanwhile, the newest alone
 * has its turn. The work never rejects.
 */
export function newestOf<T>(work: (one: T) => Promise<void>): (one: T) => void {
  let waiting: { one: T } | undefined
  let isWorking = false
  return (one) => {
    waiting = { one }
    if (isWorking) return
    isWorking = true
    inBackground(
      (async () => {
        try {
          while (waiting) {
            const next = waiting.one
            waiting = undefined
            await work(next)
          }
        } finally {
          isWorking = false
        }
      })(),
    )
  }
}
