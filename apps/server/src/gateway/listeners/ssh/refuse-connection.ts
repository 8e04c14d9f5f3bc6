import type ssh2 from 'ssh2'
import { closeChannel } from './program-channel.ts'

/**
 * Time after which a refused client that opens no channel, on which it could see why, is
 * disconnected, in milliseconds.
 */
const REFUSED_MS = 10_000

/** Tells why on the first channel that the client opens, of any kind, and ends the connection. */
export function refuseConnection(client: ssh2.Connection, why: string): void {
  const timer = setTimeout(() => client.end(), REFUSED_MS)
  client.once('close', () => clearTimeout(timer))
  client.on('session', (accept) => {
    const session = accept()
    const say = (channel: ssh2.ServerChannel) => {
      channel.stderr.write(`${why}\r\n`)
      closeChannel(channel, { exitCode: 255 }, () => client.end())
    }
    session.on('pty', (yes) => yes?.())
    session.on('shell', (yes) => say(yes()))
    session.on('exec', (yes) => say(yes()))
    session.on('subsystem', (yes) => say(yes()))
  })
}
