import type { FastifyRequest } from 'fastify'
import type { Kernel } from '../kernel/kernel.ts'
import type { Carrier } from '../kernel/nodes/carried-elsewhere.ts'
import { credentialOf, homeNodes } from '../kernel/nodes/home-nodes.ts'

/**
 * All requests of one credential are with one node, which keeps something between them. Should that be
 * lost, any other goes on.
 */
export async function byHome({ nodes }: Kernel, request: FastifyRequest): Promise<Carrier | undefined> {
  const credential = credentialOf(request)
  if (!credential) return undefined
  const homes = homeNodes(credential, await nodes.running())
  const own = homes.findIndex(({ id }) => id === nodes.id)
  return { nodes: own < 0 ? homes : homes.slice(0, own), unreachable: 'here' }
}
