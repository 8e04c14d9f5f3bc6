import type { Patch } from './patch.ts'

const END_OF_WRITE = 'eow@openssh.com'

/**
 * OpenSSH's clients notify only a server whose name begins so when nobody reads their output any
 * more.
 */
export const IDENT = 'OpenSSH_Sallyport'

/**
 * ssh2 passes over the message that nobody reads the output of a channel any more (OpenSSH PROTOCOL
 * §2.1), as in `ssh machine yes | head -1`. With this, the channel emits its name.
 */
export const endOfReading: Patch = [
  {
    file: 'server.js',
    was: `          let replied = false;
          let accept;
          let reject;

          if (session.constructor !== Session) {`,
    is: `          if (type === '${END_OF_WRITE}') {
            session._channel && session._channel.emit(type);
            return;
          }

          let replied = false;
          let accept;
          let reject;

          if (session.constructor !== Session) {`,
  },
]

/** Calls back when the client says that nobody reads the output of this channel any more. */
export function onceUnread(channel: NodeJS.EventEmitter, then: () => void): void {
  channel.once(END_OF_WRITE, then)
}
