import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors/app-error.ts'
import { singleValues } from '../resource/query.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Answers what the call would change, and changes nothing (`?preview=true`). Without it such a
     * call is refused.
     */
    previews?: ((request: FastifyRequest) => Promise<unknown>) | undefined
  }
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Answers calls that ask what they would change. None of them ever comes to its handler: an address
 * that knows no previews must not take one for the change itself.
 */
export function answerPreviews(app: FastifyInstance): void {
  app.addHook('preHandler', async (request, reply) => {
    const { method, routeOptions } = request
    if (READS.has(method)) return
    const { preview } = singleValues(request.query)
    if (preview === undefined || preview === 'false') return
    const { previews } = routeOptions.config
    if (preview !== 'true') throw new AppError(400, 'bad_request', 'preview must be true or false')
    if (!previews) throw new AppError(400, 'no_preview', 'This call decides about no rights: it has no preview.')
    return reply.send(await previews(request))
  })
}
