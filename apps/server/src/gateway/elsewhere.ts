import type { FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors/app-error.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Carrier } from '../kernel/nodes/carried-elsewhere.ts'
import { credentialOf, homeNodes } from '../kernel/nodes/home-nodes.ts'
import { MCP_PATH } from './agents/index.ts'
import { registerOwnSessions } from './listeners/web/own-sessions.ts'
import { byNamedSession } from './listeners/web/session-named.ts'

/**
 * On a node that carries no sessions: what the gateway answers is passed on to nodes that do, so
 * that no balancer needs to tell addresses apart.
 */
export function leaveToOtherNodes(kernel: Kernel): undefined {
  registerOwnSessions(kernel, { reattachments: { of: () => [] } })
  const carriedBy = async (request: FastifyRequest): Promise<Carrier | undefined> => {
    const named = await byNamedSession(kernel, request)
    if (named) return { ...named, unreachable: 'refuse' }
    const nodes = homeNodes(credentialOf(request) ?? request.ip, await kernel.nodes.running())
    return { nodes, unreachable: 'refuse' }
  }
  // Agents work on machines.
  for (const url of ['/koko/*', MCP_PATH])
    kernel.app.route({
      method: ['GET', 'POST', 'PUT', 'DELETE'],
      url,
      exposeHeadRoute: false,
      // The other node checks the caller.
      config: { access: ['anonymous'], withoutCaller: true, carriedBy, summary: 'What nodes with sessions answer' },
      handler: async () => {
        throw new AppError(503, 'no_gateway', 'No server that carries sessions is running')
      },
    })
}
