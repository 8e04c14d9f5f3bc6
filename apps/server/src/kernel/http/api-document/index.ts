import { COMPATIBILITY_VERSION, PRODUCT_VERSION } from '@sallyport/contract/constants.ts'
import type { DescribedRows, RegisteredRoute } from '../../access/guard.ts'
import type { Kernel } from '../../kernel.ts'
import { NAMED_ANSWERS } from '../../resource/described/calls.ts'
import { resourcesOf } from '../../resource/registry.ts'
import { PARAMETERS, RESPONSES, reference, SCHEMAS, SECURITY_SCHEMES } from './components.ts'
import { operation, pathOf } from './operation.ts'
import { changesSchema, draftSchema, type Json, rowSchema } from './schemas.ts'

const ALIASES = [
  '/api/swagger.json',
  '/api/swagger.yaml', // each text of JSON is one of YAML
  '/api/swagger/',
  '/api/redoc/',
  '/swagger/',
  '/redoc/',
  '/docs/',
]

const ABOUT = `Every call of this server. Calls of one organization say which by the header X-JMS-ORG.
Times are written \`2026/11/21 07:08:09 +0800\`, in the zone of the header X-TZ; ISO 8601 is taken as well.
OPTIONS of an address answers the fields of its calls, in the caller's language.`

/**
 * GET /api/docs/: OpenAPI 3.1 of every registered route, made from the definitions and the routes'
 * own summaries when it is first asked for. Addresses under which generators of clients and people
 * know such documents lead there.
 */
export function registerApiDocument(kernel: Kernel): void {
  let document: string | undefined
  kernel.app.route({
    method: 'GET',
    url: '/api/docs/',
    config: { access: ['anonymous'], summary: 'This document', answers: { fields: {} } },
    handler: async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send((document ??= JSON.stringify(apiDocument(kernel)))),
  })
  for (const url of ALIASES)
    kernel.app.route({
      method: 'GET',
      url,
      config: { access: ['anonymous'], withoutCaller: true, summary: 'Moved to /api/docs/', answers: 'moved' },
      handler: (_request, reply) => reply.redirect('/api/docs/', 307),
    })
}

function apiDocument(kernel: Kernel): Json {
  const resources = resourcesOf(kernel).all()
  const isNamed = new Set<unknown>(resources.map(({ definition }) => definition))
  const paths: Record<string, Json> = {}
  for (const route of kernel.routes) {
    if (route.method === 'HEAD') continue
    const path = pathOf(route.url)
    paths[path] ??= isOfOrganizations(route) ? { parameters: [reference('parameters', 'organization')] } : {}
    paths[path][route.method.toLowerCase()] = operation(route, (described) => isNamed.has(described))
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
    info: {
      title: 'Sallyport',
      version: PRODUCT_VERSION,
      description: `${ABOUT}\nClients of version ${COMPATIBILITY_VERSION} of this API find what they know.`,
      license: { name: 'GPL-2.0-or-later', identifier: 'GPL-2.0-or-later' },
    },
    servers: [{ url: '/' }],
    components: {
      schemas: { ...schemas, ...namedAnswers(), ...SCHEMAS },
      parameters: PARAMETERS,
      responses: RESPONSES,
      securitySchemes: SECURITY_SCHEMES,
    },
    security: [{ bearer: [] }, { signature: [] }, { token: [] }, { session: [] }],
    paths,
  }
}

const namedAnswers = (): Json =>
  Object.fromEntries([...NAMED_ANSWERS].map(([answer, name]) => [name, rowSchema(answer as DescribedRows)]))

const isOfOrganizations = ({ url, access, config }: RegisteredRoute) =>
  url.startsWith('/api/v1/') && !config.rootOrg && !access.includes('anonymous')
