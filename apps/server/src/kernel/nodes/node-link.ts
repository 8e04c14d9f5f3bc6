import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { ask } from './ask.ts'
import { passOnWhatOthersCarry } from './carried-elsewhere.ts'
import { makeNodeKey } from './certificate.ts'
import { openLinkListener } from './link-listener.ts'
import type { Node, Nodes } from './nodes.ts'
import { Peers } from './peers.ts'

/** The connection between nodes: passes on requests for what others carry, and answers theirs. */
export interface NodeLink {
  /**
   * Sends the same request to another node and reads the JSON answer. `headers` are trusted there.
   * Throws when the node can't be reached or answers anything but 200.
   */
  ask(node: Node, request: FastifyRequest, headers?: Readonly<Record<string, string>>): Promise<unknown>
  /** Accepts what other nodes pass on, and answers at which port. Call it once every route is registered. */
  listen(): Promise<number>
  /** Breaks off what was passed on to other nodes. */
  leave(): void
  /** Accepts nothing more. */
  close(): Promise<void>
}

/** Creates the node's key. Call it before any hook that authenticates callers is added. */
export function createNodeLink(app: FastifyInstance, nodes: Nodes, config: Config): NodeLink {
  const key = makeNodeKey()
  const peers = new Peers(key, app.log)
  passOnWhatOthersCarry(app, peers)
  let close = async () => {}
  return {
    ask: async (node, request, headers) => ask(peers.get(node), request, headers),
    async listen() {
      await app.ready()
      const listener = await openLinkListener(app, nodes, key, config)
      close = listener.close
      const { address, port } = listener
      await nodes.listensAt({ address, port, certificate: key.certificate })
      app.log.info({ node: nodes.name, address, port }, 'node link')
      return port
    },
    leave: () => peers.close(),
    close: () => close(),
  }
}
