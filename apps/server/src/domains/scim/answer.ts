import { createHash } from 'node:crypto'
import type { Attributes } from './attributes.ts'
import { scimError } from './scim-error.ts'

export const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
/** Rows of one page. */
export const MAX_PAGE = 200
const DEFAULT_PAGE = 100

/** The query of a list or single resource (RFC 7644 §3.4.2, §3.9). */
export interface Question {
  filter: string | undefined
  /** From 1. */
  startIndex: number
  count: number
  attributes: readonly string[]
  excludedAttributes: readonly string[]
}

export function questionOf(query: Readonly<Record<string, unknown>>): Question {
  const text = (name: string) => {
    const value = query[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const number = (name: string, otherwise: number, least: number, most: number) => {
    const value = text(name)
    if (value === undefined) return otherwise
    if (!/^-?\d{1,9}$/.test(value)) throw scimError(400, 'invalidValue', `${name} must be a number`)
    return Math.min(Math.max(Number(value), least), most)
  }
  const names = (name: string) =>
    (text(name) ?? '')
      .split(',')
      .map((one) => one.trim().toLowerCase())
      .filter(Boolean)
  return {
    filter: text('filter'),
    startIndex: number('startIndex', 1, 1, 1_000_000_000),
    count: number('count', DEFAULT_PAGE, 0, MAX_PAGE),
    attributes: names('attributes'),
    excludedAttributes: names('excludedAttributes'),
  }
}

/** A resource as it is answered. */
export interface Resource extends Record<string, unknown> {
  schemas: readonly string[]
  id: string
  meta: { resourceType: 'User' | 'Group'; created: string; lastModified: string; location: string; version?: string }
}

/** With the version that its content has (RFC 7644 §3.14). */
export function withVersion(resource: Resource): Resource {
  const version = `W/"${createHash('sha256').update(JSON.stringify(resource)).digest('base64url').slice(0, 22)}"`
  return { ...resource, meta: { ...resource.meta, version } }
}

/** `attributes` and `excludedAttributes`; what identifies a resource is always answered. */
export function narrowed(resource: Resource, { attributes, excludedAttributes }: Question): Resource {
  const always = new Set(['schemas', 'id', 'meta'])
  const names = (list: readonly string[]) => new Set(list.map((one) => one.split('.')[0]))
  const [wanted, unwanted] = [names(attributes), new Set(excludedAttributes)]
  return Object.fromEntries(
    Object.entries(resource).filter(([name]) => {
      if (always.has(name)) return true
      const key = name.toLowerCase()
      return wanted.size ? wanted.has(key) || attributes.some((one) => one.startsWith(key)) : !unwanted.has(key)
    }),
  ) as Resource
}

export function listOf(resources: readonly Resource[], total: number, { startIndex }: Question) {
  return {
    schemas: [LIST_SCHEMA],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  }
}

/** Throws 412 where the client saw another version (RFC 7644 §3.14). */
export function checkVersion(resource: Resource, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch === '*') return
  const { version = '' } = withVersion(resource).meta
  if (!ifMatch.split(',').some((one) => one.trim() === version))
    throw scimError(412, undefined, 'The resource has been changed since')
}

/** Whether two bodies say the same. */
export const isSame = (one: Attributes, other: Attributes) => canonical(one) === canonical(other)

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, inside) =>
    typeof inside === 'object' && inside !== null && !Array.isArray(inside)
      ? Object.fromEntries(Object.entries(inside).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inside,
  )
