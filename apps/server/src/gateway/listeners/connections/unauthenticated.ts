import type { Socket } from 'node:net'
import { sourceNetwork } from '../../../kernel/access/source-network.ts'

/** Time for the key exchange, or for what a protocol begins with. */
const HANDSHAKE_MS = 15_000
/** Time to sign in. */
const GRACE_MS = 60_000

/** A connection of somebody who has not signed in yet. */
export interface Unauthenticated {
  /** The client's address, once a proxy has sent it. */
  address: string
  readonly port: number | undefined
  /** The other end is a program that speaks the protocol: with SSH, keys have been exchanged. */
  isReady(): void
  /** Has so long from now on, once, because its person is busy in a browser. */
  mayTake(ms: number): void
  /** Signed in, or waiting for reviewers with a proven name. */
  isKnown(): void
}

export interface UnauthenticatedLimits {
  /** Connections from anywhere, and from one source. */
  all: number
  ofSource: number
  /** Milliseconds that a client has to sign in. */
  graceMs?: number | undefined
}

interface Entry extends Unauthenticated {
  socket: Socket
  ready: boolean
}

/**
 * Connections that have not signed in yet, which cost a bounded amount and never keep a newcomer
 * out: when there is no room, the source with most of them loses one, first of those that have not
 * exchanged keys, and of these the oldest.
 */
export class UnauthenticatedConnections {
  readonly #limits: UnauthenticatedLimits
  /** In the order in which they came. */
  readonly #all = new Set<Entry>()

  constructor(limits: UnauthenticatedLimits) {
    this.#limits = limits
  }

  add(socket: Socket, address: string): Unauthenticated {
    const { all, graceMs = GRACE_MS } = this.#limits
    const handshake = setTimeout(() => socket.destroy(), Math.min(HANDSHAKE_MS, graceMs))
    let grace = setTimeout(() => socket.destroy(), graceMs)
    let hasMore = false
    const leave = () => {
      clearTimeout(handshake)
      clearTimeout(grace)
      this.#all.delete(entry)
    }
    const entry: Entry = {
      socket,
      address,
      port: socket.remotePort,
      ready: false,
      isReady() {
        clearTimeout(handshake)
        entry.ready = true
      },
      mayTake: (ms) => {
        if (hasMore || !this.#all.has(entry)) return
        hasMore = true
        clearTimeout(grace)
        grace = setTimeout(() => socket.destroy(), ms)
      },
      isKnown: leave,
    }
    this.#all.add(entry)
    socket.once('close', leave)
    if (this.#all.size > all) this.#giveUpOne(this.#largestSource())
    return entry
  }

  /** To be called once the address is the client's own, not a proxy's. */
  bound({ address }: Unauthenticated): void {
    const source = sourceNetwork(address)
    const same = [...this.#all].filter((one) => sourceNetwork(one.address) === source)
    if (same.length > this.#limits.ofSource) this.#giveUpOne(same)
  }

  of(address: string, port: number | undefined): Unauthenticated | undefined {
    return [...this.#all].find((one) => one.address === address && one.port === port)
  }

  #largestSource(): Entry[] {
    const bySource = Map.groupBy(this.#all, ({ address }) => sourceNetwork(address))
    return [...bySource.values()].reduce((largest, one) => (one.length > largest.length ? one : largest), [])
  }

  /** Never the last one, which is the newcomer. */
  #giveUpOne(entries: readonly Entry[]): void {
    const others = entries.slice(0, -1)
    const one = others.find(({ ready }) => !ready) ?? others[0]
    if (!one) return
    one.isKnown()
    one.socket.destroy()
  }
}
