import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import type { Kernel } from '../kernel.ts'
import { resourcesOf } from '../resource/registry.ts'
import { draftSchema, type Json, rowSchema } from './api-schemas.ts'

/**
 * GET /api/docs/: OpenAPI 3.1 of every registered route, made from the definitions and the routes'
 * own summaries.
 */
export function registerApiDocument(kernel: Kernel): void {
  let document: Json | undefined
  kernel.app.route({
    method: 'GET',
    url: '/api/docs/',
    config: { access: ['anonymous'], summary: 'This document' },
    handler: async () => (document ??= apiDocument(kernel)),
  })
}

function apiDocument(kernel: Kernel): Json {
  const resources = resourcesOf(kernel).all()
  const paths: Record<string, Json> = {}
  const byPath = new Map(resources.map(({ definition }) => [definition.path, definition]))
  for (const { method, url, access, summary } of kernel.routes) {
    if (method === 'HEAD' || !url.startsWith('/api/')) continue
    const path = url.replace(/:(\w+)/g, '{$1}')
    const definition = byPath.get(url) ?? byPath.get(url.replace(/:id\/$/, ''))
    paths[path] ??= {}
    paths[path][method.toLowerCase()] = operation(method, url, access, summary, definition)
  }
  const schemas = Object.fromEntries(
    resources.flatMap(({ definition }) => [
      [definition.name, rowSchema(definition)],
      [`${definition.name}_draft`, draftSchema(definition)],
    ]),
  )
  return {
    openapi: '3.1.0',
    info: { title: 'Sallyport', version: 'v1', license: { name: 'GPL-2.0-or-later' } },
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        signature: {
          type: 'http',
          scheme: 'signature',
          description: 'HTTP Signature with an access key, hmac-sha256 over (request-target) and date',
        },
        session: { type: 'apiKey', in: 'cookie', name: 'sessionid' },
      },
    },
    security: [{ bearer: [] }, { signature: [] }, { session: [] }],
    paths,
  }
}

function operation(
  method: string,
  url: string,
  access: readonly string[],
  summary: string | undefined,
  definition: ResourceDefinition | undefined,
): Json {
  const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const parameters: Json[] = [...url.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const isList = definition && url === definition.path
  if (isList && method === 'GET') {
    for (const name of ['search', 'order', 'limit', 'offset', 'ids', 'spm', 'fields', 'fields_size', 'format'])
      parameters.push({ name, in: 'query', schema: { type: 'string' } })
    for (const filter of definition.filters)
      parameters.push({
        name: typeof filter === 'string' ? filter : filter.name,
        in: 'query',
        schema: { type: 'string' },
      })
  }
  return {
    summary: summary ?? '',
    description: `Who may call: ${access.join(' or ')}.`,
    ...(access.includes('anonymous') ? { security: [] } : {}),
    ...(parameters.length ? { parameters } : {}),
    ...(definition && ['POST', 'PUT', 'PATCH'].includes(method) && (isList || url.endsWith(':id/'))
      ? { requestBody: { content: { 'application/json': { schema: reference(`${definition.name}_draft`) } } } }
      : {}),
    responses: {
      [method === 'POST' ? '201' : method === 'DELETE' ? '204' : '200']: {
        description: 'Done',
        ...(definition && method !== 'DELETE' && method !== 'OPTIONS'
          ? { content: { 'application/json': { schema: reference(definition.name) } } }
          : {}),
      },
    },
  }
}
