const running = new Map<string, Promise<unknown>>()

/**
 * Runs work of one key on this node one after the other: of a hundred tries that are sent at once,
 * each must see how many before it failed. Keys that nobody waits for are forgotten.
 */
export async function oneAtATime<T>(key: string, work: () => Promise<T>): Promise<T> {
  const mine = (running.get(key) ?? Promise.resolve()).then(work, work)
  running.set(key, mine)
  try {
    return await mine
  } finally {
    if (running.get(key) === mine) running.delete(key)
  }
}
