import type { FastifyInstance } from 'fastify'
import { forward } from './forward.ts'
import { isPassedOn } from './link-listener.ts'
import { nodeUnreachable } from './link-request.ts'
import type { Node } from './nodes.ts'
import { type Peers, Unreachable } from './peers.ts'

/** Which other node answers a request. */
export interface Carrier {
  /** In order of preference: the first that can be reached answers. */
  nodes: readonly Node[]
  /**
   * When none can be reached: the request is refused, or answered here by a handler that does what
   * it can.
   */
  unreachable: 'refuse' | 'here'
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For requests that only one node can answer: names it, and the whole request is passed on. */
    carriedBy?: (request: FastifyRequest) => Promise<Carrier | undefined>
  }
}

/**
 * Passes requests on to the node that can answer them. Runs before the access guard, which the other
 * node applies: a signed request counts once, and permission is decided where the work is done. A
 * request is passed on once at most.
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
