import type { Kernel } from '../../kernel/kernel.ts'
import { notice } from '../session/notice.ts'
import type { Typist } from '../session/typist.ts'
import type { Confirmation, Grounds, GuardedSession } from './guard.ts'

/** A command that others must confirm before it runs. */
export interface CommandToConfirm {
  guarded: GuardedSession
  /** Who typed it, when it was not the session's person. */
  by?: Typist | undefined
  grounds: Grounds
  text: string
}

/** Nobody can be asked yet, so it is not run. */
export function confirmCommand(_kernel: Kernel, { grounds }: CommandToConfirm, _dropped: AbortSignal): Confirmation {
  const why = notice('denied', 'This command needs a confirmation: {{match}}', { match: grounds.match }, 'urgent')
  return {
    action: 'confirm',
    asks: why,
    request: async () => ({ told: why, decision: Promise.resolve({ action: 'deny', why, grounds }) }),
  }
}
