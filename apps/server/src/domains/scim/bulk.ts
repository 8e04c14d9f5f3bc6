import { withVersion } from './answer.ts'
import { isObject } from './attributes.ts'
import { OPERATIONS, type Operations } from './operations.ts'
import type { Side } from './people.ts'
import { refusalOf, scimError } from './scim-error.ts'

const REQUEST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest'
const ANSWER_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:BulkResponse'
export const MAX_BULK_OPERATIONS = 100

interface Done {
  method: string
  bulkId?: string
  location?: string
  version?: string
  status: string
  response?: object
}

/**
 * POST /Bulk (RFC 7644 §3.7): one operation after the other, each stored or refused by itself. An
 * operation names what an earlier one has made by `bulkId:…`.
 */
export async function runBulk(side: Side, body: unknown): Promise<object> {
  if (!isObject(body) || !Array.isArray(body.Operations))
    throw scimError(400, 'invalidSyntax', `Expected ${REQUEST_SCHEMA} with Operations`)
  if (body.Operations.length > MAX_BULK_OPERATIONS)
    throw scimError(413, 'tooMany', `At most ${MAX_BULK_OPERATIONS} operations in one call`)
  const mostErrors = typeof body.failOnErrors === 'number' ? body.failOnErrors : Number.POSITIVE_INFINITY
  const made = new Map<string, string>()
  const done: Done[] = []
  let errors = 0
  for (const operation of body.Operations) {
    if (errors >= mostErrors) break
    const one = await run(side, operation, made)
    if (Number(one.status) >= 400) errors++
    done.push(one)
  }
  return { schemas: [ANSWER_SCHEMA], Operations: done }
}

async function run(side: Side, operation: unknown, made: Map<string, string>): Promise<Done> {
  const { method, path, data, bulkId, version } = isObject(operation) ? operation : {}
  const verb = typeof method === 'string' ? method.toUpperCase() : ''
  const about: Pick<Done, 'method' | 'bulkId'> = { method: verb, ...(typeof bulkId === 'string' ? { bulkId } : {}) }
  try {
    const [operations, id] = placeOf(path, made)
    const body = resolved(data, made)
    const ifMatch = typeof version === 'string' ? version : undefined
    if (verb === 'POST' && id === undefined) {
      const resource = await operations.create(side, body)
      if (typeof bulkId === 'string') made.set(bulkId, resource.id)
      return { ...about, ...partsOf(resource), status: '201' }
    }
    if ((verb === 'PUT' || verb === 'PATCH') && id !== undefined) {
      const mode = verb === 'PUT' ? 'put' : 'patch'
      return { ...about, ...partsOf(await operations.change(side, id, mode, body, ifMatch)), status: '200' }
    }
    if (verb === 'DELETE' && id !== undefined) {
      await operations.remove(side, id, ifMatch)
      return { ...about, status: '204' }
    }
    throw scimError(400, 'invalidSyntax', 'method must be POST for a type, and PUT, PATCH or DELETE for a resource')
  } catch (error) {
    const refusal = refusalOf(error)
    if (!refusal) throw error
    return { ...about, status: String(refusal.status), response: refusal.body }
  }
}

function partsOf(resource: Parameters<typeof withVersion>[0]): Pick<Done, 'location' | 'version'> {
  const { location, version = '' } = withVersion(resource).meta
  return { location, version }
}

function placeOf(path: unknown, made: ReadonlyMap<string, string>): [Operations, string | undefined] {
  const [, type, id] = /^\/?(Users|Groups)(?:\/([^/]+))?$/.exec(typeof path === 'string' ? path : '') ?? []
  if (type !== 'Users' && type !== 'Groups')
    throw scimError(400, 'invalidPath', 'path must be /Users, /Groups, or one of their resources')
  return [OPERATIONS[type], id === undefined ? undefined : (resolved(id, made) as string)]
}

/** With ids in place of `bulkId:…`. Throws 409 for one that no earlier operation has made. */
function resolved(data: unknown, made: ReadonlyMap<string, string>): unknown {
  if (typeof data === 'string' && data.startsWith('bulkId:')) {
    const id = made.get(data.slice('bulkId:'.length))
    if (id === undefined) throw scimError(409, undefined, `No earlier operation has made ${data.slice(0, 80)}`)
    return id
  }
  if (Array.isArray(data)) return data.map((one) => resolved(one, made))
  if (!isObject(data)) return data
  // A name that a client chooses is no key of an object here before it is known (attributes.ts).
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, resolved(value, made)]))
}
