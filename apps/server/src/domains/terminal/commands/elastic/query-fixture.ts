/** The queries that elasticsearch-fixture.ts understands, on one document, by the types that its index gives its fields. */
type Body = Record<string, unknown>

export interface Asked {
  id: string
  source: Body
  mappings: Body
  ignoresCase: boolean
}

const unknown = (what: string) =>
  Object.assign(new Error(`unknown query [${what}]`), { status: 400, type: 'parsing_exception' })

export function matches(query: Body, asked: Asked): boolean {
  const [[kind, value] = ['', {}]] = Object.entries(query) as [string, Body][]
  const [field = '', wanted] = Object.entries(value)[0] ?? []
  switch (kind) {
    case 'bool':
      return matchesBool(value as Record<string, Body[] & number>, asked)
    case 'ids':
      return (value.values as string[]).includes(asked.id)
    case 'exists':
      return valuesOf(String(value.field), asked).length > 0
    case 'term':
      return termsOf(field, asked).includes(String(wanted))
    case 'terms':
      return termsOf(field, asked).some((term) => (wanted as unknown[]).map(String).includes(term))
    case 'prefix':
      return byPattern(field, wanted as Body, asked, (term, text) => term.startsWith(text))
    case 'wildcard':
      return byPattern(field, wanted as Body, asked, isLike)
    case 'match_phrase':
      return valuesOf(field, asked).some((text) =>
        ` ${tokens(text).join(' ')} `.includes(` ${tokens(wanted).join(' ')} `),
      )
    case 'range': {
      const { gte = Number.NEGATIVE_INFINITY, lte = Number.POSITIVE_INFINITY } = wanted as Record<string, number>
      return valuesOf(field, asked).some((one) => Number(one) >= gte && Number(one) <= lte)
    }
    default:
      throw unknown(kind)
  }
}

function matchesBool({ filter = [], must_not = [], should = [], ...rest }: Body, asked: Asked): boolean {
  const { minimum_should_match: least = 0, ...others } = rest
  if (Object.keys(others).length) throw unknown(Object.keys(others).join())
  return (
    (filter as Body[]).every((one) => matches(one, asked)) &&
    !(must_not as Body[]).some((one) => matches(one, asked)) &&
    (should as Body[]).filter((one) => matches(one, asked)).length >= Number(least)
  )
}

function byPattern(
  field: string,
  { value, ...options }: Body,
  asked: Asked,
  is: (term: string, text: string) => boolean,
) {
  if ('case_insensitive' in options && !asked.ignoresCase) throw unknown('case_insensitive')
  const fold = (text: string) => (options.case_insensitive ? text.toLowerCase() : text)
  return termsOf(field, asked).some((term) => is(fold(term), fold(String(value))))
}

/** `*` and `?`, and a backslash before what is meant by itself. */
function isLike(term: string, pattern: string): boolean {
  const parts = pattern.match(/\\.|[\s\S]/g) ?? []
  const source = parts.map((part) =>
    part === '*' ? '[\\s\\S]*' : part === '?' ? '[\\s\\S]' : quote(part.at(-1) ?? ''),
  )
  return new RegExp(`^${source.join('')}$`).test(term)
}
const quote = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function valuesOf(field: string, { source }: Asked): unknown[] {
  let value: unknown = source
  for (const part of field.replace(/\.keyword$/, '').split('.')) value = (value as Body | undefined)?.[part]
  return value === undefined || value === null ? [] : [value]
}

/**
 * The index terms of a field: whole for keywords, small words for texts, which are then no longer
 * whole.
 */
function termsOf(field: string, asked: Asked): string[] {
  const type = typeOf(field, asked.mappings)
  return valuesOf(field, asked).flatMap((value) => (type === 'text' ? tokens(value) : [String(value)]))
}

/** Elasticsearch makes a text with a keyword under it of a text that nobody described. */
function typeOf(field: string, mappings: Body): string {
  let properties: Body | undefined = mappings
  const path = field.split('.')
  for (const [at, part] of path.entries()) {
    const found = properties?.[part] as { type?: string; properties?: Body; fields?: Body } | undefined
    if (!found) return path.at(-1) === 'keyword' ? 'keyword' : 'text'
    if (at === path.length - 1) return found.type ?? 'object'
    properties = found.properties ?? found.fields
  }
  return 'text'
}

const tokens = (text: unknown) =>
  String(text)
    .toLowerCase()
    .match(/[\p{L}\p{N}_]+/gu) ?? []
