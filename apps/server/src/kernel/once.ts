import { awaitedLater } from './background.ts'

/** Does the work when it is asked for first, and answers the same from then on. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined
  return () => {
    done ??= awaitedLater(work())
    return done
  }
}
