import type { FastifyRequest } from 'fastify'
import { inTime } from '../../../kernel/in-time.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { Slots } from '../../../kernel/slots.ts'
import type { StoredSession } from '../session.resource.ts'
import { findReplay, type ReplayFile } from './replay-file.ts'

const AT_ONCE = 8
/** A store that takes longer to say whether it has a recording can't be read now. */
const ANSWER_MS = 4_000
/** Look-ups that have not begun by then wait for the next call. */
const BEGIN_MS = 4_000

/** `missing`: the store has none; `unreadable`: it did not say; `later`: there was no time to ask. */
export type LookUp = ReplayFile | 'missing' | 'unreadable' | 'later'

/**
 * Looks up the recordings of these sessions, a few at a time and in their order; the first ones are
 * always asked for. Answers in the order of the sessions. Never throws.
 */
export function lookUpReplays(
  kernel: Kernel,
  request: FastifyRequest,
  sessions: readonly StoredSession[],
): Promise<LookUp[]> {
  const slots = new Slots(AT_ONCE)
  const until = performance.now() + BEGIN_MS
  const lookUp = async (session: StoredSession): Promise<LookUp> => {
    if (performance.now() > until) return 'later'
    try {
      return (await inTime(findReplay(kernel, session), ANSWER_MS, noAnswer)) ?? 'missing'
    } catch (error) {
      request.log.warn({ err: error, session: session.id }, 'a recording could not be looked up')
      return 'unreadable'
    }
  }
  return Promise.all(sessions.map((session) => slots.use(() => lookUp(session))))
}

const noAnswer = () => new Error('the store does not answer in time')
