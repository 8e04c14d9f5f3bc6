import type { Patch } from './patch.ts'

const LEFT = 'left'

/**
 * A server's channel reports its close only when its input has been read to the end: code that
 * leaves input unread, until it is known whether a command may run, never learns that its client
 * has gone. With this, the channel reports it at once.
 */
export const leftChannels: Patch = [
  {
    file: 'utils.js',
    was: `  channel.incoming.state = 'closed';
`,
    is: `  channel.incoming.state = 'closed';
  if (channel.server)
    channel.emit('${LEFT}');
`,
  },
]

/** Calls back when the client has closed this channel, or its connection has ended. */
export function onceLeft(channel: NodeJS.EventEmitter, then: () => void): void {
  channel.once(LEFT, then)
}
