import type { Field, ResourceDefinition } from '@sallyport/contract/define.ts'
import type { Kernel } from '../kernel.ts'
import { resourcesOf } from '../resource/registry.ts'

type Json = Record<string, unknown>

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

function rowSchema({ fields }: ResourceDefinition): Json {
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).flatMap(([name, field]) => (field.writeOnly ? [] : [[name, fieldSchema(field)]])),
    ),
  }
}

function draftSchema({ fields }: ResourceDefinition): Json {
  const writable = Object.entries(fields).filter(([, field]) => !field.readOnly)
  return {
    type: 'object',
    properties: Object.fromEntries(writable.map(([name, field]) => [name, fieldSchema(field)])),
    required: writable.flatMap(([name, field]) => (field.required ? [name] : [])),
  }
}

const TYPES: Record<Field['type'], Json> = {
  uuid: { type: 'string', format: 'uuid' },
  string: { type: 'string' },
  text: { type: 'string' },
  email: { type: 'string', format: 'email' },
  url: { type: 'string', format: 'uri' },
  integer: { type: 'integer' },
  float: { type: 'number' },
  boolean: { type: 'boolean' },
  datetime: { type: 'string', examples: ['2026/11/21 07:08:09 +0800'] },
  choice: {},
  multichoice: { type: 'array', items: { type: 'string' } },
  strings: { type: 'array', items: { type: 'string' } },
  ref: { type: ['string', 'integer'] },
  refs: { type: 'array', items: { type: 'string' } },
  object: { type: 'object' },
  list: { type: 'array', items: { type: 'object' } },
}

function fieldSchema(field: Field): Json {
  return {
    ...TYPES[field.type],
    title: field.label,
    ...(field.helpText ? { description: field.helpText } : {}),
    ...(field.choices && field.type === 'choice'
      ? { enum: Object.keys(field.choices).map((value) => (field.integer ? Number(value) : value)) }
      : {}),
    ...(field.maxLength ? { maxLength: field.maxLength } : {}),
    ...(field.readOnly ? { readOnly: true } : {}),
    ...(field.writeOnly ? { writeOnly: true } : {}),
  }
}
