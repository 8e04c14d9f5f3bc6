import type { FastifyRequest } from 'fastify'
import { sessionCarrier, sharingCarrier } from '../../../domains/terminal/index.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Carrier } from '../../../kernel/nodes/carried-elsewhere.ts'
import { singleValues } from '../../../kernel/resource/query.ts'

/**
 * The node of the session that a web terminal names, to watch it, to join it or to go on with it.
 * Where that can't be reached, this node says so.
 */
export async function byNamedSession(kernel: Kernel, { query }: FastifyRequest): Promise<Carrier | undefined> {
  const { type = '', target_id: id = '' } = singleValues(query)
  const node =
    type === 'share'
      ? await sharingCarrier(kernel, id)
      : type === 'shareroom' || type === 'resume'
        ? await sessionCarrier(kernel, id)
        : undefined
  return node && { nodes: [node], unreachable: 'here' }
}
