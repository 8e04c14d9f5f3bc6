import type { FastifyReply, FastifyRequest } from 'fastify'
import { requireSameOrigin } from '../../kernel/access/same-origin.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { settingsOf } from '../settings/index.ts'
import { listOf, questionOf, type Resource, withVersion } from './answer.ts'
import { runBulk } from './bulk.ts'
import { registerDiscovery } from './discovery.ts'
import { answered, OPERATIONS } from './operations.ts'
import type { Side } from './people.ts'
import { SCIM_PATH } from './provider.resource.ts'
import { callOf, providerOf } from './provider-token.ts'
import { SCIM_JSON, scimError, sendScimError } from './scim-error.ts'

/** Answers a call of a provider. */
type Handler = (side: Side, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Bytes of a body: a group of ten thousand members. */
const BODY_LIMIT = 2 * 1024 * 1024

/**
 * SCIM 2.0 (RFC 7643, RFC 7644) for identity providers: they bring a token of their own, which every
 * route checks by itself.
 */
export function registerScimRoutes(kernel: Kernel): void {
  const sides = new WeakMap<FastifyRequest, Side>()
  const route = (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    summary: string,
    handler: Handler,
  ): void => {
    kernel.app.route({
      method,
      url: `${SCIM_PATH}${path}`,
      bodyLimit: BODY_LIMIT,
      config: { access: ['anonymous'], withoutCaller: true, withoutCsrf: true, summary },
      errorHandler: sendScimError,
      // Before a byte of the body is read, which may be much.
      onRequest: async (request) => void sides.set(request, await sideOf(kernel, request)),
      handler: async (request, reply) => {
        if (request.body === null) throw scimError(400, 'invalidSyntax', 'Expected an object')
        reply.type(SCIM_JSON)
        return handler(sides.get(request) as Side, request, reply)
      },
    })
  }

  for (const [name, operations] of Object.entries(OPERATIONS)) {
    route('GET', `/${name}`, `SCIM: list ${name}`, async (side, { query }) => {
      const question = questionOf(query as Record<string, unknown>)
      const { total, resources } = await operations.list(side, question)
      return listOf(
        resources.map((one) => answered(one, question)),
        total,
        question,
      )
    })
    route('POST', `/${name}`, `SCIM: create one of ${name}`, async (side, { body, query }, reply) => {
      const resource = await operations.create(side, body)
      reply.status(201).header('Location', resource.meta.location)
      return sent(resource, query, reply)
    })
    route('GET', `/${name}/:id`, `SCIM: one of ${name}`, async (side, { params, query, headers }, reply) => {
      const question = questionOf(query as Record<string, unknown>)
      const resource = await operations.read(side, idOf(params), question)
      if (headers['if-none-match'] === withVersion(resource).meta.version) return reply.status(304).send()
      return sent(resource, query, reply)
    })
    for (const method of ['PUT', 'PATCH'] as const)
      route(method, `/${name}/:id`, `SCIM: change one of ${name}`, async (side, request, reply) => {
        const { params, query, body, headers } = request
        const mode = method === 'PUT' ? 'put' : 'patch'
        return sent(await operations.change(side, idOf(params), mode, body, headers['if-match']), query, reply)
      })
    route('DELETE', `/${name}/:id`, `SCIM: delete one of ${name}`, async (side, { params, headers }, reply) => {
      await operations.remove(side, idOf(params), headers['if-match'])
      return reply.status(204).send()
    })
  }
  route('POST', '/Bulk', 'SCIM: several operations', (side, { body }) => runBulk(side, body))
  registerDiscovery(route)
}

const idOf = (parameters: unknown) => (parameters as { id: string }).id

function sent(resource: Resource, query: unknown, reply: FastifyReply): Resource {
  const answer = answered(resource, questionOf(query as Record<string, unknown>))
  if (answer.meta.version) reply.header('ETag', answer.meta.version)
  return answer
}

async function sideOf(kernel: Kernel, request: FastifyRequest): Promise<Side> {
  // A provider is no page in somebody's browser.
  requireSameOrigin(request)
  const provider = await providerOf(kernel, request)
  const call = await callOf(kernel, provider, request)
  const site = settingsOf(kernel).get('SITE_URL')
  return { kernel, provider, call, base: `${site}${SCIM_PATH}` }
}
