import type { Patch } from './patch.ts'

/** RFC 4254 §5.1. */
export type OpenFailure = 'prohibited' | 'connect_failed' | 'shortage'
const REASONS: Readonly<Record<OpenFailure, number>> = { prohibited: 1, connect_failed: 2, shortage: 4 }

/**
 * ssh2 refuses a channel without words, and closes one of its server's as soon as nothing more is
 * written to it, although the client may still send: a forwarded connection whose far end has said
 * all that it has to say would lose the rest of the request. With this, there may be words, and
 * channels that stay half open.
 */
export const forwardedChannels: Patch = [
  {
    file: 'server.js',
    was: `          const reject = () => {
            if (replied)
              return;
            replied = true;

            if (reason === undefined) {`,
    is: `          let words = '';
          const reject = (why) => {
            if (replied)
              return;
            replied = true;

            if (why && typeof why === 'object')
              ({ reason, words } = why);
            if (reason === undefined) {`,
  },
  {
    file: 'server.js',
    was: "            proto.channelOpenFail(info.sender, reason, '');",
    is: '            proto.channelOpenFail(info.sender, reason, words);',
  },
  {
    file: 'Channel.js',
    was: '  if (this.server || !this.allowHalfOpen)',
    is: '  if ((this.server && !this.isHalfOpen) || !this.allowHalfOpen)',
  },
]

/** Lets each direction of a server's channel end by itself: it is closed by `close` then. */
export const keepHalfOpen = (channel: object): void => void Object.assign(channel, { isHalfOpen: true })

/** Refuses a channel in words that OpenSSH's clients show. */
export function refuseChannel(reject: () => void, failure: OpenFailure, words: string): void {
  const refuse = reject as (why: { reason: number; words: string }) => void
  refuse({ reason: REASONS[failure], words })
}
