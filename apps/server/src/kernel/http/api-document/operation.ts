import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import { z } from 'zod'
import type { DescribedBody, DescribedRows, RegisteredRoute, Takes } from '../../access/guard.ts'
import { NAMED_ANSWERS } from '../../resource/described/calls.ts'
import type { Answers } from './answers.ts'
import { inJson, LIST_PARAMETERS, reference } from './components.ts'
import { changesSchema, draftSchema, type Json, rowSchema } from './schemas.ts'

/** Whether a definition is among the schemas of the document, so that it need not be written again. */
type IsNamed = (described: DescribedRows | Takes) => boolean

/** `/a/:id/*` as `/a/{id}/{rest}`. */
export const pathOf = (url: string): string => url.replace(/:(\w+)/g, '{$1}').replace('*', '{rest}')

/** One call of the document. */
export function operation(route: RegisteredRoute, isNamed: IsNamed): Json {
  const { method, url, access, config } = route
  const parameters = parametersOf(route)
  const body = bodyOf(route, isNamed)
  return {
    operationId: nameOfCall(method, url),
    tags: [/^\/api\/v1\/([^/:*]+)\//.exec(url)?.[1] ?? 'other'],
    summary: config.summary ?? '',
    description: `Who may call: ${access.join(' or ')}.`,
    ...securityOf(route),
    ...(parameters.length ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: responsesOf(route, isNamed, body !== undefined),
  }
}

/** `get_assets_assets_by_id`. */
const nameOfCall = (method: string, url: string) =>
  [method.toLowerCase(), ...url.replace('/api/v1/', '/').replaceAll('*', 'rest').split('/')]
    .filter(Boolean)
    .map((part) => part.replace(/^:/, 'by_').replace(/\W+/g, '_'))
    .join('_')

function securityOf({ access }: RegisteredRoute): Json {
  if (access.includes('anonymous')) return { security: [] }
  return access.includes('bootstrap_token') ? { security: [{ bootstrap: [] }, { bearer: [] }, { signature: [] }] } : {}
}

function parametersOf({ method, url, config }: RegisteredRoute): Json[] {
  const { rows, asks = {}, previews } = config
  const parameters: Json[] = [...pathOf(url).matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const query = (name: string, description?: string) =>
    parameters.push({ name, in: 'query', ...(description ? { description } : {}), schema: { type: 'string' } })
  if (method === 'GET' && rows?.filters && answersList(config.answers)) {
    for (const name of LIST_PARAMETERS) parameters.push(reference('parameters', name))
    const names = rows.filters.map((filter) => (typeof filter === 'string' ? filter : filter.name))
    for (const name of new Set(names)) if (!LIST_PARAMETERS.includes(name)) query(name)
  }
  for (const [name, description] of Object.entries(asks)) query(name, description)
  if (previews) parameters.push(reference('parameters', 'preview'))
  return parameters
}

const answersList = (answers: Answers | undefined) =>
  answers === 'rows' || answers === 'rows or page' || answers === 'page'

function bodyOf({ method, config }: RegisteredRoute, isNamed: IsNamed): Json | undefined {
  const { takes, takesFile, sends = 'row' } = config
  if (takesFile) return { required: true, content: { 'text/csv': {}, 'text/xlsx': {}, 'application/octet-stream': {} } }
  if (!takes) return undefined
  const one = bodySchema(method, takes, isNamed)
  return { required: true, ...inJson(many(one, sends)) }
}

const many = (one: Json, how: 'row' | 'rows' | 'row or rows'): Json =>
  how === 'row' ? one : how === 'rows' ? listOf(one) : { anyOf: [one, listOf(one)] }
const listOf = (items: Json): Json => ({ type: 'array', items })

/** On PATCH nothing is required: what is not sent stays. */
function bodySchema(method: string, takes: Takes, isNamed: IsNamed): Json {
  if (isNamed(takes)) return reference('schemas', `${nameOf(takes)}_${method === 'PATCH' ? 'changes' : 'draft'}`)
  return describedBody(
    typeof takes === 'function' ? takes({}) : takes,
    method === 'PATCH' ? changesSchema : draftSchema,
  )
}

function describedBody(body: DescribedBody, schemaOf: (fields: Pick<ResourceDefinition, 'fields'>) => Json): Json {
  return 'fields' in body ? schemaOf(body) : zodSchema(body)
}

/** What zod checks, without what only its library reads. */
function zodSchema(body: z.ZodObject): Json {
  const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' })
  return JSON.parse(
    JSON.stringify(schema, function (this: Json, key, value) {
      const isNoise =
        key === '$schema' ||
        key === '~standard' ||
        (key === 'additionalProperties' &&
          (value === false || (typeof value === 'object' && !Object.keys(value).length))) ||
        (key === 'pattern' && this.format !== undefined)
      return isNoise ? undefined : value
    }),
  )
}

function responsesOf({ method, url, access, config }: RegisteredRoute, isNamed: IsNamed, hasBody: boolean): Json {
  const isOpen = access.includes('anonymous')
  const { answers = config.rows ? 'row' : defaultAnswer(method), rows } = config
  const status = config.answerStatus ?? STATUS[typeof answers === 'string' ? answers : ''] ?? 200
  const isRead = method === 'GET' || method === 'OPTIONS'
  return {
    [status]: { description: DESCRIPTIONS[status] ?? 'Done', ...answered(answers, rows, isNamed) },
    ...(hasBody || !isRead || url.includes(':') || rows ? { 400: reference('responses', 'Invalid') } : {}),
    ...(isOpen ? {} : { 401: reference('responses', 'NotAuthenticated'), 403: reference('responses', 'Forbidden') }),
    ...(/[:*]/.test(url) ? { 404: reference('responses', 'NotFound') } : {}),
    default: reference('responses', 'Other'),
  }
}

const defaultAnswer = (method: string): Answers =>
  method === 'DELETE' ? 'nothing' : method === 'OPTIONS' ? 'metadata' : 'anything'

const STATUS: Readonly<Record<string, number>> = { nothing: 204, moved: 307, socket: 101 }
const DESCRIPTIONS: Readonly<Record<number, string>> = {
  101: 'The connection is a WebSocket from here on',
  201: 'Made',
  202: 'Begun',
  204: 'Done; there is nothing to say',
  302: 'Go on there',
  307: 'Moved: send the same there',
}

function answered(answers: Answers, rows: DescribedRows | undefined, isNamed: IsNamed): Json {
  if (typeof answers !== 'string') {
    const name = NAMED_ANSWERS.get(answers)
    return inJson(name ? reference('schemas', name) : describedBody(answers, rowSchema))
  }
  const row = () => (rows && isNamed(rows) ? reference('schemas', nameOf(rows)) : rows ? rowSchema(rows) : {})
  switch (answers) {
    case 'row':
      return inJson(row())
    case 'rows':
      return inJson(listOf(row()))
    case 'page':
      return inJson(pageSchema(row()))
    case 'rows or page':
      return inJson({ anyOf: [listOf(row()), pageSchema(row())] })
    case 'row or rows':
      return inJson({ anyOf: [row(), listOf(row())] })
    case 'metadata':
      return inJson(reference('schemas', 'Metadata'))
    case 'text':
      return { content: { 'text/plain': { schema: { type: 'string' } } } }
    case 'html':
      return { content: { 'text/html': { schema: { type: 'string' } } } }
    case 'file':
      return { content: { '*/*': {} } }
    case 'anything':
      return inJson({})
    case 'moved':
      return { headers: { Location: { schema: { type: 'string' } } } }
    default:
      return {}
  }
}

const pageSchema = (row: Json): Json => ({
  type: 'object',
  properties: {
    count: { type: 'integer' },
    next: { type: ['string', 'null'], format: 'uri' },
    previous: { type: ['string', 'null'], format: 'uri' },
    results: listOf(row),
  },
  required: ['count', 'next', 'previous', 'results'],
})

const nameOf = (definition: object) => (definition as ResourceDefinition).name
