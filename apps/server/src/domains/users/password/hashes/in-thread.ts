import { AppError } from '../../../../kernel/errors/app-error.ts'
import { ThreadLost, Threads } from '../../../../kernel/threads.ts'
import type { HashWay } from './stored-hash.ts'

export interface HashTask {
  password: string
  way: HashWay
}

/**
 * A comparison takes up to a second. Two at a time leave processors to everybody else; as many as
 * wait take a minute or two, for which clients wait. One source can fill an eighth of the queue, so
 * that nobody keeps others from signing in.
 */
const LIMITS = { size: 2, maxWaiting: 128, maxWaitingOfOwner: 16, timeoutMs: 20_000, memoryMb: 64 }

const tooMany = () => new AppError(503, 'busy', 'Too many people are signing in. Try again in a moment.')

const threads = new Threads<HashTask>(new URL('./hash-thread.ts', import.meta.url), LIMITS, tooMany)

/**
 * Whether a password has a hash of others, away from the event loop. Throws 503 when too many wait,
 * or too many of one owner, since an answer would count as a wrong password.
 */
export async function hasHashInThread(password: string, way: HashWay, owner: string): Promise<boolean> {
  const task: HashTask = { password, way }
  return (await threads.run(task, owner).catch((reason: unknown) => {
    throw reason instanceof ThreadLost ? tooMany() : reason
  })) as boolean
}
