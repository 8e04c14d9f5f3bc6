import { Agent, type RequestOptions, request } from 'node:https'
import type { FastifyBaseLogger } from 'fastify'
import { inBackground } from '../background.ts'
import type { NodeKey } from './certificate.ts'
import { ALIVE_PATH } from './link-listener.ts'
import type { Node } from './nodes.ts'

/** How often a node is asked whether it is alive while something is passed on to it. */
const ALIVE_MS = 5_000
/** Unanswered questions in a row before a node is given up; a busy node may miss one. */
const MAX_MISSED = 2
/** Limit of requests and sockets that are passed on to one node at a time. */
const MAX_LINES = 2_000
/** Idle connections kept, for less time than the other end keeps them. */
const MAX_FREE = 16
const KEEP_FREE_MS = 30_000
/** How long an unreachable node is not tried again. */
const DOWN_MS = 2_000

/** The other node can't be reached, and nothing was passed on. */
export class Unreachable extends Error {
  constructor(node: Pick<Node, 'name'>, cause?: unknown) {
    super(`node ${node.name} cannot be reached`, { cause })
    this.name = 'Unreachable'
  }
}

/** A request or socket that is passed on. */
export interface Line {
  destroy(error: Error): unknown
}

/** This node's end of the links to all others. */
export class Peers {
  readonly #key: NodeKey
  readonly #log: FastifyBaseLogger
  readonly #aliveMs: number
  readonly #peers = new Map<string, Peer>()

  constructor(key: NodeKey, log: FastifyBaseLogger, aliveMs = ALIVE_MS) {
    this.#key = key
    this.#log = log
    this.#aliveMs = aliveMs
  }

  /** Throws Unreachable for a node that has never listened. */
  get(node: Node): Peer {
    const { id, certificate } = node
    const known = this.#peers.get(id)
    if (known && known.certificate === certificate) return known
    // The node was restarted: what it carried is gone.
    known?.close()
    const peer = new Peer(node, this.#key, this.#log, this.#aliveMs)
    this.#peers.set(id, peer)
    return peer
  }

  close(): void {
    for (const peer of this.#peers.values()) peer.close()
    this.#peers.clear()
  }
}

/** The link to one run of one node. */
export class Peer {
  readonly certificate: string
  readonly node: Node
  readonly #options: RequestOptions
  readonly #agent: Agent
  readonly #log: FastifyBaseLogger
  readonly #aliveMs: number
  readonly #lines = new Set<Line>()
  #downUntil = 0
  #missed = 0
  #watching: NodeJS.Timeout | undefined

  constructor(node: Node, { privateKey, certificate: own }: NodeKey, log: FastifyBaseLogger, aliveMs: number) {
    this.#aliveMs = aliveMs
    const { address, port, certificate } = node
    if (!address || !port || !certificate) throw new Unreachable(node)
    this.certificate = certificate
    this.node = node
    this.#log = log
    const tls = {
      key: privateKey,
      cert: own,
      // The only one trusted: a process with another certificate is not that node.
      ca: [certificate],
      checkServerIdentity: () => undefined,
      minVersion: 'TLSv1.3' as const,
    }
    // The agent ends free connections after `timeout`; those in use it leaves alone.
    this.#agent = new Agent({ ...tls, keepAlive: true, maxFreeSockets: MAX_FREE, timeout: KEEP_FREE_MS })
    this.#options = { ...tls, host: address, port }
  }

  /** Could not be reached a moment ago: others need not wait to find out. */
  get isDown(): boolean {
    return performance.now() < this.#downUntil
  }

  noteUnreachable(): void {
    this.#downUntil = performance.now() + DOWN_MS
  }

  get isFull(): boolean {
    return this.#lines.size >= MAX_LINES
  }

  /** `kept`: over a kept-alive connection if there is one. */
  options({ kept }: { kept: boolean }): RequestOptions {
    return { ...this.#options, agent: kept ? this.#agent : false }
  }

  /** Counts a line until the returned function is called, and breaks it off if the node dies. */
  hold(line: Line): () => void {
    this.#lines.add(line)
    this.#watching ??= setInterval(() => inBackground(this.#watch()), this.#aliveMs)
    return () => {
      this.#lines.delete(line)
      if (this.#lines.size) return
      clearInterval(this.#watching)
      this.#watching = undefined
    }
  }

  close(): void {
    clearInterval(this.#watching)
    this.#break(new Unreachable(this.node))
    this.#agent.destroy()
  }

  #break(error: Error): void {
    for (const line of [...this.#lines]) line.destroy(error)
  }

  /** Asks whether the node is alive: the sockets of a lost or cut-off machine stay silent. */
  async #watch(): Promise<void> {
    const alive = await new Promise<boolean>((resolve) => {
      const asked = request({ ...this.options({ kept: true }), path: ALIVE_PATH, timeout: this.#aliveMs }, (answer) => {
        answer.resume()
        resolve(true)
      })
      asked.on('timeout', () => asked.destroy(new Error('no answer')))
      asked.on('error', () => resolve(false))
      asked.end()
    })
    this.#missed = alive ? 0 : this.#missed + 1
    if (this.#missed < MAX_MISSED || !this.#lines.size) return
    this.#log.warn(
      { node: this.node.name, lines: this.#lines.size },
      'node does not answer: what it was passed is broken off',
    )
    this.#break(new Unreachable(this.node))
  }
}
