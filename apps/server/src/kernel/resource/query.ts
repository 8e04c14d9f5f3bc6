import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import { refused } from '../errors/app-error.ts'
import { sameQuery, unwatched } from '../watched-query.ts'

/**
 * The last value of each key: clients send some keys twice (contract/README "What clients in the
 * wild send").
 */
export function singleValues(query: unknown): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [key, value] of Object.entries(unwatched(query) as Record<string, string | string[]>)) {
    const last = Array.isArray(value) ? value.at(-1) : value
    if (last !== undefined) values[key] = last
  }
  return sameQuery(query, values)
}

/** Keys that were sent several times, with all their values. */
export function repeatedValues(query: unknown): Record<string, string[]> {
  const entries = Object.entries(unwatched(query) as Record<string, string | string[]>)
  return Object.fromEntries(entries.flatMap(([key, value]) => (Array.isArray(value) ? [[key, value]] : [])))
}

export interface Page {
  limit: number
  offset: number
}

/**
 * More than the largest page of any client; larger answers are lists without `limit`, or exports.
 */
const MAX_LIMIT = 10_000

/** The requested page; undefined for the whole list. Throws 400 for numbers that are none. */
export function pageOf(query: Readonly<Record<string, string>>): Page | undefined {
  const limit = Number(query.limit || 0)
  const offset = Number(query.offset || 0)
  if (!Number.isInteger(limit) || limit < 0) throw refused('bad_request', 'limit must be a whole number')
  if (!Number.isSafeInteger(offset) || offset < 0) throw refused('bad_request', 'offset must be a whole number')
  return limit === 0 ? undefined : { limit: Math.min(limit, MAX_LIMIT), offset }
}

export const list = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

const readableOf = new WeakMap<ResourceDefinition, readonly string[]>()

/** The names of all readable fields, always the same object: what goes by it is worked out once. */
function readableFields(definition: ResourceDefinition): readonly string[] {
  let readable = readableOf.get(definition)
  if (!readable) {
    readable = Object.entries(definition.fields).flatMap(([name, field]) => (field.writeOnly ? [] : [name]))
    readableOf.set(definition, readable)
  }
  return readable
}

/**
 * The fields that a list or detail answers: all readable ones, restricted by `fields`, `fields!`
 * and `fields_size`.
 */
export function wantedFields(
  definition: ResourceDefinition,
  query: Readonly<Record<string, string>>,
): readonly string[] {
  const readable = readableFields(definition)
  let wanted = readable
  if (query.fields_size === 'mini') wanted = [...(definition.mini ?? ['id', ...placeholders(definition)])]
  else if (query.fields_size === 'small' && definition.small) wanted = [...definition.small]
  const named = list(query.fields)
  if (named.length) wanted = wanted.filter((name) => named.includes(name))
  const unwanted = list(query['fields!'])
  if (unwanted.length) wanted = wanted.filter((name) => !unwanted.includes(name))
  return wanted === readable ? readable : wanted.filter((name) => readable.includes(name))
}

function placeholders({ display, fields }: ResourceDefinition): string[] {
  return [...display.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').filter((name) => name in fields)
}
