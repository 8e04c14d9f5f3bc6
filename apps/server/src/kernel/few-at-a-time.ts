import { Slots } from './slots.ts'

interface Turn {
  slots: Slots
  /** Works that are running or wait. */
  count: number
}

const turns = new Map<string, Turn>()

/**
 * Runs at most `limit` works of one key on this node at a time; others of that key wait, first come
 * first served, and hold nothing meanwhile. Every call of a key names the same limit. Throws what
 * `work` throws.
 */
export async function fewAtATime<T>(key: string, limit: number, work: () => Promise<T>): Promise<T> {
  const turn = turns.get(key) ?? { slots: new Slots(limit), count: 0 }
  turns.set(key, turn)
  turn.count++
  try {
    return await turn.slots.use(work)
  } finally {
    if (--turn.count === 0) turns.delete(key)
  }
}
