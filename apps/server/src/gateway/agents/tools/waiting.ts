import { z } from 'zod'
import { pause } from '../../../kernel/pause.ts'
import type { Agent } from '../agent.ts'

/** Clients give up after a minute. */
const LONGEST_WAIT = 45
const FIRST_LOOK_MS = 100
const LONGEST_LOOK_MS = 1500

export const WAIT = z.number().min(0).max(LONGEST_WAIT).default(30).describe('Seconds to wait at most')

/** Looks again and again, less and less often, until it is so, the time is over or the client has left. */
export async function waitUntil<T>(
  { signal }: Agent,
  seconds: number,
  look: () => Promise<T>,
  isSo: (found: T) => boolean,
): Promise<T> {
  const until = Date.now() + seconds * 1000
  let wait = FIRST_LOOK_MS
  for (;;) {
    const found = await look()
    const left = until - Date.now()
    if (isSo(found) || left <= 0 || signal.aborted) return found
    await pause(Math.min(wait, left), signal)
    wait = Math.min(wait * 1.5, LONGEST_LOOK_MS)
  }
}
