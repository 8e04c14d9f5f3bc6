import type { Patch } from './patch.ts'

/**
 * ssh2 keeps a signal to itself once the program's input has ended, which it has for most commands:
 * they run on with nobody there. With this, it is sent as long as the channel is open (RFC 4254
 * §5.3: only data ends with EOF).
 */
export const lateSignals: Patch = [
  {
    file: 'Channel.js',
    was: `  signal(signalName) {
    if (this.server)
      throw new Error('Client-only method called in server mode');

    if (this.type === 'session'
        && this.writable
        && this.outgoing.state === 'open') {`,
    is: `  signal(signalName) {
    if (this.server)
      throw new Error('Client-only method called in server mode');

    if (this.type === 'session'
        && (this.outgoing.state === 'open' || this.outgoing.state === 'eof')) {`,
  },
]
