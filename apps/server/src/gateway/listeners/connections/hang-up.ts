import type { Duplex } from 'node:stream'

/** A client that does not read what it was sent, or does not hang up in its turn, is left after this. */
const CLOSE_MS = 5_000

/** Ends a connection with these last words, whatever the other end does about it. */
export function hangUp(socket: Duplex, words?: string | Buffer): void {
  socket.end(words)
  const timer = setTimeout(() => socket.destroy(), CLOSE_MS).unref()
  socket.once('close', () => clearTimeout(timer))
}
