import type { NotForwarded } from '../../../../domains/perms/forwarding/index.ts'
import type { OpenFailure } from '../../../../kernel/ssh/ssh2/forwarded-channels.ts'
import { plainText } from '../../../prompt/plain-text.ts'

/** Why a connection is not forwarded, in words that the person's client shows. */
export class NotForwardedError extends Error {
  readonly failure: OpenFailure
  constructor(failure: OpenFailure, words: string) {
    super(words)
    this.failure = failure
  }
}

export const REFUSED: Readonly<Record<NotForwarded, string>> = {
  unreadable: 'This is no destination: name a host name or a plain address, and a port from 1 to 65535',
  closed: 'Nothing is forwarded to this address',
  not_granted: 'Your permission does not lead to this destination',
}

const WORDS_MAX = 200

/** Words of the machine, without those of the library before them. */
export const wordsOfMachine = (error: unknown): string =>
  plainText(error instanceof Error ? error.message.replace('(SSH) Channel open failure: ', '') : '').slice(0, WORDS_MAX)
