import { awaitedLater } from '../../../kernel/background.ts'

/** Asks one source, which takes its turn once it knows the name, and before it says yes or no. */
export type Ask<T> = (turn: () => Promise<boolean>) => Promise<T>

/**
 * Asks all sources at once, so that one that is away holds up the others for a bounded time, and a
 * name costs the same wherever it is known. The first in the order that knows the name decides;
 * `undefined` where none does. Throws where that one fails, or where none of the others knows the name
 * and one could not be asked in time. A single source has all the time that it takes.
 */
export async function askInOrder<T>(asks: readonly Ask<T>[], patienceMs: number): Promise<T | undefined> {
  const limit = deadline(asks.length > 1 ? patienceMs : undefined)
  const seen: Promise<Seen>[] = []
  const asked = asks.map((ask, place) => {
    const { promise, resolve } = Promise.withResolvers<Seen>()
    seen.push(promise)
    const turn = async () => {
      // Others have decided without it.
      if (limit.isOver()) return false
      resolve('known')
      for (const before of seen.slice(0, place)) if ((await limit.orAway(before)) === 'known') return false
      return true
    }
    const answer = awaitedLater(
      ask(turn).then(
        (answer) => {
          resolve('unknown')
          return answer
        },
        (error) => {
          resolve({ error })
          throw error
        },
      ),
    )
    return { seen: promise, answer }
  })
  let failure: Extract<Seen, object> | undefined
  try {
    for (const { seen: itself, answer } of asked) {
      const what = await limit.orAway(itself)
      if (what === 'known') return await answer
      if (what !== 'unknown') failure ??= what
    }
  } finally {
    limit.end()
  }
  if (failure) throw failure.error
  return undefined
}

/** What one source has turned out to know. */
type Seen = 'known' | 'unknown' | { error: unknown }

const LATE = { error: new Error('a directory did not answer in time') }

function deadline(ms: number | undefined) {
  let isOver = false
  const { promise, resolve } = Promise.withResolvers<Seen>()
  const timer =
    ms === undefined
      ? undefined
      : setTimeout(() => {
          isOver = true
          resolve(LATE)
        }, ms)
  return {
    isOver: () => isOver,
    orAway: (seen: Promise<Seen>) => Promise.race([seen, promise]),
    end: () => clearTimeout(timer),
  }
}
