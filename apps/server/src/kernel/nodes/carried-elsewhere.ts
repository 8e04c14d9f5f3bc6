import type { FastifyInstance } from 'fastify'
import { forward } from './forward.ts'
import { isPassedOn } from './link-listener.ts'
import { nodeUnreachable } from './link-request.ts'
import type { Node } from './nodes.ts'
import { type Peers, Unreachable } from './peers.ts'

/** Who answers a request, when it is not this node. */
export interface Carrier {
  /** The first that can be reached. */
  nodes: readonly Node[]
  /**
   * When none can be reached: refused, or answered here, by a handler that says so itself or does
   * what can be done.
   */
  unreachable: 'refuse' | 'here'
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who answers this request, where one node alone can: it is passed on to it whole. */
    carriedBy?: (request: FastifyRequest) => Promise<Carrier | undefined>
  }
}

/**
 * Passes requests on to the node that can answer them. Before the access guard, which is that node's
 * own: a signed request counts once, and who may do what is decided where it is done. What was
 * passed on once is answered where it arrived.
 */
export function passOnWhatOthersCarry(app: FastifyInstance, peers: Peers): void {
  app.addHook('onRequest', async (request, reply) => {
    const { carriedBy } = request.routeOptions.config
    if (!carriedBy || isPassedOn(request.raw)) return
    const carrier = await carriedBy(request)
    if (!carrier?.nodes.length) return
    let failure: unknown
    for (const node of carrier.nodes) {
      try {
        return await forward(peers.get(node), request, reply)
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error
        failure = error
        request.log.warn({ node: node.name, err: error.cause }, 'node cannot be reached')
      }
    }
    if (carrier.unreachable === 'refuse') throw nodeUnreachable(failure)
  })
}
