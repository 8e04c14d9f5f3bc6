import type { Change, Patch } from './patch.ts'

/** Milliseconds for the last words to be read: what is unread when a connection is reset is lost. */
const LAST_WORDS_MS = 2000

/** `socket`: its name there. */
const ended = (file: string, socket: string): Change => ({
  file,
  was: "this.emit('error', ex);",
  is: `${socket}.removeAllListeners('data').resume();
          setTimeout(() => ${socket}.destroy(), ${LAST_WORDS_MS}).unref();
          this.emit('error', ex);`,
})

/**
 * After a packet that it cannot take, ssh2 reads on where it stands, in the middle of packets, and
 * waits without end for the other side to hang up.
 */
export const endAfterError: Patch = [ended('server.js', 'socket'), ended('client.js', 'sock')]
