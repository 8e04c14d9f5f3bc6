/**
 * The result of the work. Rejects with `late()` when it takes longer than so many milliseconds; the
 * work itself goes on.
 */
export function inTime<T>(work: Promise<T>, limitMs: number, late: () => Error): Promise<T> {
  const { promise: limit, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(late()), limitMs)
  return Promise.race([work, limit]).finally(() => clearTimeout(timer))
}
