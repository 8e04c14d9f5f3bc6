import type { Change, Patch } from './patch.ts'

/** `push`: what follows where the data is taken. */
function bounded(file: string, push: string): Change {
  const before = (condition: string, then: string) => `          if (${condition})
            ${then};

          channel.incoming.window -= data.length;

          ${push}`
  return {
    file,
    was: before('channel.incoming.window === 0', 'return'),
    is: before('data.length > channel.incoming.window', "throw new Error('More data than the window has room for')"),
  }
}

/**
 * ssh2 keeps whatever arrives on a channel, although the other side may send no more than the window
 * that it was given (RFC 4254 §5.2): a program that ignores it fills the memory. It ends the
 * connection, as with OpenSSH.
 */
export const receiveWindow: Patch = [
  bounded('server.js', 'if (channel.push(data) === false) {'),
  bounded('client.js', 'if (channel.push(data) === false) {'),
  bounded('client.js', 'if (!channel.stderr.push(data)) {'),
]
