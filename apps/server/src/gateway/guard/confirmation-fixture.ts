import type { Notice } from '../session/notice.ts'
import type { Confirmation, Decision } from './guard.ts'

/** Others are asked with the same words that say who they are. */
export const confirmation = (words: Notice, decision: Promise<Decision>): Confirmation => ({
  action: 'confirm',
  asks: words,
  request: async () => ({ message: words, decision }),
})
