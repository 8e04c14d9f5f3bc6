import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import type { DescribedRows, RegisteredRoute, Takes } from '../access/guard.ts'
import type { Kernel } from '../kernel.ts'
import { fieldsOfBody } from '../resource/plain-fields.ts'
import { resourcesOf } from '../resource/registry.ts'
import { changesSchema, draftSchema, type Json, rowSchema } from './api-schemas.ts'

const ALIASES = [
  '/api/swagger.json',
  '/api/swagger.yaml', // each text of JSON is one of YAML
  '/api/swagger/',
  '/api/redoc/',
  '/swagger/',
  '/redoc/',
  '/docs/',
]

/**
 * GET /api/docs/: OpenAPI 3.1 of every registered route, made from the definitions and the routes'
 * own summaries. Addresses under which generators of clients and people know such documents lead there.
 */
export function registerApiDocument(kernel: Kernel): void {
  let document: Json | undefined
  kernel.app.route({
    method: 'GET',
    url: '/api/docs/',
    config: { access: ['anonymous'], summary: 'This document' },
    handler: async () => (document ??= apiDocument(kernel)),
  })
  for (const url of ALIASES)
    kernel.app.route({
      method: 'GET',
      url,
      config: { access: ['anonymous'], withoutCaller: true, summary: 'Moved to /api/docs/' },
      handler: (_request, reply) => reply.redirect('/api/docs/', 307),
    })
}

function apiDocument(kernel: Kernel): Json {
  const resources = resourcesOf(kernel).all()
  const isNamed = new Set<unknown>(resources.map(({ definition }) => definition))
  const paths: Record<string, Json> = {}
  for (const route of kernel.routes) {
    const { method, url } = route
    if (method === 'HEAD' || !url.startsWith('/api/')) continue
    const path = url.replace(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][method.toLowerCase()] = operation(route, (described) => isNamed.has(described))
  }
  const schemas = Object.fromEntries(
    resources.flatMap(({ definition }) => [
      [definition.name, rowSchema(definition)],
      [`${definition.name}_draft`, draftSchema(definition)],
      [`${definition.name}_changes`, changesSchema(definition)],
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

/** `isNamed`: whether a definition is among the schemas, so that it need not be written again. */
function operation(
  { method, url, access, config }: RegisteredRoute,
  isNamed: (described: DescribedRows | Takes) => boolean,
): Json {
  const { summary, rows, takes } = config
  const parameters: Json[] = [...url.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const isList = rows?.filters !== undefined && method === 'GET' && !url.endsWith(':id/')
  if (isList) {
    for (const name of ['search', 'order', 'limit', 'offset', 'ids', 'spm', 'fields', 'fields_size', 'format'])
      parameters.push({ name, in: 'query', schema: { type: 'string' } })
    for (const filter of rows.filters ?? [])
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
    ...(takes ? { requestBody: inJson(bodySchema(method, takes, isNamed(takes))) } : {}),
    responses: {
      [method === 'POST' ? '201' : method === 'DELETE' ? '204' : '200']: {
        description: 'Done',
        ...(rows ? inJson(isNamed(rows) ? reference(nameOf(rows)) : rowSchema(rows)) : {}),
      },
    },
  }
}

/** On PATCH nothing is required: what is not sent stays. */
function bodySchema(method: string, takes: Takes, isNamed: boolean): Json {
  if (isNamed) return reference(`${nameOf(takes)}_${method === 'PATCH' ? 'changes' : 'draft'}`)
  const fields = { fields: fieldsOfBody(takes) }
  return method === 'PATCH' ? changesSchema(fields) : draftSchema(fields)
}

const nameOf = (definition: object) => (definition as ResourceDefinition).name
const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
const inJson = (schema: Json): Json => ({ content: { 'application/json': { schema } } })
