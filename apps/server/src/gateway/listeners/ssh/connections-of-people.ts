import type ssh2 from 'ssh2'
import { closeChannel } from './program-channel.ts'

/** Whoever is refused and opens no channel to hear why has to go after this. */
const REFUSED_MS = 10_000

/** How many connections each person holds: one person's programs must leave room for the others. */
export class ConnectionsOfPeople {
  readonly #limit: number
  readonly #held = new Map<string, number>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False when the person has as many as may be; else it counts until it is closed. */
  enter(userId: string, client: ssh2.Connection): boolean {
    const held = this.#held.get(userId) ?? 0
    if (held >= this.#limit) return false
    this.#held.set(userId, held + 1)
    client.once('close', () => {
      const rest = (this.#held.get(userId) ?? 1) - 1
      if (rest) this.#held.set(userId, rest)
      else this.#held.delete(userId)
    })
    return true
  }
}

/** Says why on the first channel that the client opens, whatever for, and ends the connection. */
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
