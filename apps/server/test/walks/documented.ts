/** Answers of the server beside what its API document says of them. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { pathOf } from '../../src/kernel/http/api-document/operation.ts'
import type { Answer, TestServer } from '../server.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape, which is what is tested
type Json = any

export interface ApiDocument {
  document: Json
  /** What of an answer the document does not say; undefined where it is as it is said. `url` is the route's. */
  fault(method: string, url: string, answer: Pick<Answer, 'status' | 'body' | 'headers'>): string | undefined
  /** The same for an example of a schema. */
  exampleFault(name: string, example: unknown): string | undefined
}

export async function readApiDocument(server: Pick<TestServer, 'call'>): Promise<ApiDocument> {
  const { status, body: document } = await server.call('GET', '/api/docs/')
  if (status !== 200) throw new Error(`the API document answered ${status}`)
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, allErrors: false })
  ajv.addSchema(closed(document), 'api')
  return {
    document,
    exampleFault(name, example) {
      const validate = ajv.getSchema(`api#/components/schemas/${name}`)
      return validate?.(example) ? undefined : `${name}: ${ajv.errorsText(validate?.errors)}`
    },
    fault(method, url, { status, body, headers }) {
      const path = pathOf(url)
      const { responses } = document.paths[path]?.[method.toLowerCase()] ?? {}
      if (!responses) return 'is not in the document'
      // What needs something done first, and redirects of pages, are no answers of the call itself.
      const key = responses[status] ? String(status) : 'default'
      if (key === 'default' && status < 300) return `answers ${status}, which the document does not know`
      if (key === 'default' && status < 400) return undefined
      const pointer = ['paths', path, method.toLowerCase(), 'responses', key]
      const { $ref } = responses[key]
      const place = $ref ? $ref.slice(2).split('/') : pointer
      const content = place.reduce((at: Json, name: string) => at[name], document).content ?? {}
      const type = String(headers['content-type'] ?? '').split(';')[0] ?? ''
      if (!type.includes('json'))
        return content['application/json'] && body !== '' && !content[type] && status < 400
          ? `answers ${type || 'text'}`
          : undefined
      if (!content['application/json']) return content['*/*'] || status >= 400 ? undefined : 'answers JSON'
      const address = [...place, 'content', 'application/json', 'schema'].map(asPointer).join('/')
      const validate = ajv.getSchema(`api#/${address}`)
      if (!validate) return 'has no schema'
      // Items of a tree are drawn by clients as they come.
      if (validate(body) || (Array.isArray(body) && body[0]?.pId !== undefined)) return undefined
      const { instancePath, message, params } = validate.errors?.at(-1) ?? {}
      return `${status} ${instancePath} ${message} ${JSON.stringify(params)}`
    },
  }
}

const asPointer = (name: string) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))

/** With every field named: what is answered besides is a fault of the document. */
function closed(value: Json): Json {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, closed(inside)]))
  const isObject = copy.type === 'object' || (Array.isArray(copy.type) && copy.type.includes('object'))
  const isNamed = isObject && Object.keys(copy.properties ?? {}).length > 0 && copy.additionalProperties === undefined
  return isNamed ? { ...copy, unevaluatedProperties: false } : copy
}
