/**
 * The API document cut down to what programs rely on: methods, addresses, queries, bodies, answers and
 * their types. It is kept in the repository as it was released, a line for each address and schema.
 */

/** @param {object} document the OpenAPI document @returns {{ version: string, paths: object, schemas: object }} */
export function shapeOfApi({ info, paths, components }) {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, call]) => METHODS.has(method) && !call.responses[307])
      .map(([method, call]) => [`${method.toUpperCase()} ${path}`, shapeOfCall(call)]),
  )
  const schemas = Object.entries(components.schemas).filter(([name]) => !name.endsWith('_changes'))
  return {
    version: info.version,
    paths: Object.fromEntries(calls.sort(byName)),
    schemas: Object.fromEntries(schemas.map(([name, schema]) => [name, shapeOf(schema)]).sort(byName)),
  }
}

/** OPTIONS answers for people who draw forms; addresses that have moved are kept by the routes they lead to. */
const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete'])

const byName = ([a], [b]) => (a < b ? -1 : 1)

function shapeOfCall({ parameters = [], requestBody, responses, security }) {
  const query = parameters.flatMap(({ in: place, name, $ref }) =>
    $ref ? [$ref.split('/').at(-1)] : place === 'query' ? [name] : [],
  )
  const [[status, answer] = []] = Object.entries(responses).filter(([code]) => Number(code) < 400)
  const body = requestBody?.content['application/json']?.schema
  const answered = answer?.content?.['application/json']?.schema
  return {
    ...(security?.length === 0 ? { open: true } : {}),
    ...(query.length ? { query: query.join(' ') } : {}),
    ...(body ? { body: shapeOf(body) } : {}),
    status: Number(status),
    ...(answered ? { answer: shapeOf(answered) } : answer?.content ? { answer: Object.keys(answer.content)[0] } : {}),
  }
}

/**
 * A schema as short as it can be: `string`, `integer?` where it may be null, `string≤128`, `(a|b)` for
 * choices, `@asset` for one with a name, `[…]` for lists, `{ "name*": … }` for objects, in which a star
 * is what must be sent, and `{ "|": […] }` for one of several.
 */
export function shapeOf(schema) {
  if (schema.$ref) return `@${schema.$ref.split('/').at(-1)}`
  const either = schema.anyOf ?? (schema.properties ? undefined : schema.oneOf)
  if (either) return alternatives(either.map(shapeOf))
  const types = [schema.type ?? []].flat()
  const isNull = types.includes('null') ? '?' : ''
  const type = types.filter((one) => one !== 'null').join('/')
  if (schema.const !== undefined) return `(${schema.const})`
  if (schema.enum) return `(${schema.enum.filter((one) => one !== null).join('|')})${isNull}`
  if (type === 'array') return schema.items ? [shapeOf(schema.items)] : ['any']
  if (type === 'object' && schema.properties) {
    const must = new Set(schema.required)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, inside]) => [must.has(name) ? `${name}*` : name, shapeOf(inside)]),
    )
  }
  if (!type) return 'any'
  const { maxLength, minimum, maximum } = schema
  const range = minimum === undefined && maximum === undefined ? '' : `[${minimum ?? ''}..${maximum ?? ''}]`
  return `${type}${maxLength === undefined ? '' : `≤${maxLength}`}${range}${isNull}`
}

/** `{ "|": [a, b] }`; `null` as one of two is written as elsewhere. */
function alternatives(shapes) {
  const others = shapes.filter((one) => one !== 'null' && one !== '?')
  const [only] = others
  if (others.length === 1) return typeof only === 'string' && others.length < shapes.length ? `${only}?` : only
  return { '|': others }
}

/** The text of the file: JSON with a line for each call and schema, so that a change is seen as one. */
export function textOfShape({ version, paths, schemas }) {
  const lines = (part) =>
    Object.entries(part)
      .map(([name, shape]) => `${JSON.stringify(name)}:${JSON.stringify(shape)}`)
      .join(',\n')
  return `{"version":${JSON.stringify(version)},"paths":{\n${lines(paths)}\n},"schemas":{\n${lines(schemas)}\n}}\n`
}
