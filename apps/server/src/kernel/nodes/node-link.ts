import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { ask } from './ask.ts'
import { passOnWhatOthersCarry } from './carried-elsewhere.ts'
import { makeNodeKey } from './certificate.ts'
import { openLinkListener } from './link-listener.ts'
import type { Node, Nodes } from './nodes.ts'
import { Peers } from './peers.ts'

/** What one node has to do with the others: passes on what they carry, and answers what they pass on. */
export interface NodeLink {
  /**
   * Sends the same request to another node and reads the JSON that it answers. `headers` are
   * believed there, as coming from this node. Throws when it can't be reached or answers anything
   * but 200.
   */
  ask(node: Node, request: FastifyRequest, headers?: Readonly<Record<string, string>>): Promise<unknown>
  /** Takes what other nodes pass on. Once every route is registered. */
  listen(): Promise<void>
  /** Breaks off what was passed on to others. */
  leave(): void
  /** Takes nothing more. */
  close(): Promise<void>
}

/** The node's own key is made here, and never stored. Before any hook that asks who calls. */
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
    },
    leave: () => peers.close(),
    close: () => close(),
  }
}
