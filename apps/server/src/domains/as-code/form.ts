import type { Field, Fields, ResourceDefinition } from '@sallyport/contract/define.ts'
import { parseDateTime } from '../../kernel/resource/datetime.ts'
import { defaultOf } from '../../kernel/resource/schema.ts'
import { shapeOf } from '../../kernel/resource/shapes.ts'
import type { Kind } from './kinds.ts'

/** A row as files have it: names in the place of ids, without anything that is only shown. */
export type Form = Readonly<Record<string, unknown>>

/** Lists without an order of their own. */
export const isSet = ({ type }: Field): boolean => type === 'refs' || type === 'multichoice'

/** A moment without a value in the file is that of the first write, and stays. */
export const isOfNow = ({ type, default: usual }: Field): boolean =>
  type === 'datetime' && typeof usual === 'string' && usual.startsWith('now')

/** Set when the row is made, and never read: secrets, and how they come about. */
export const isGivenOnce = ({ writeOnly }: Field): boolean => writeOnly === true

const isText = ({ type }: Field) => ['string', 'text', 'email', 'url'].includes(type)

/** Secrets are texts that never come back. */
export const isSecret = (field: Field): boolean => isGivenOnce(field) && isText(field)

/** The fields that files have of a resource, in the order of its definition. */
export function fieldsInFiles({ fields }: ResourceDefinition, leaves: readonly string[]): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name, field]) =>
        name !== 'id' &&
        name !== 'created_by' &&
        !field.readOnly &&
        !leaves.includes(name) &&
        // What `nodes_display` says is said by `nodes`.
        !(name.endsWith('_display') && fields[name.slice(0, -'_display'.length)]),
    ),
  )
}

const known = new Map<Kind, Fields>()
export function fieldsOf(kind: Kind): Fields {
  let fields = known.get(kind)
  if (!fields) known.set(kind, (fields = fieldsInFiles(kind.definition, kind.leaves)))
  return fields
}

/** The fields inside of an object, which may depend on another value of the row. */
export function fieldsInside(field: Field, row: Form): Fields | undefined {
  if (field.shapeBy) return shapeOf(field, row[field.shapeBy])
  return field.type === 'object' || field.type === 'list' ? field.fields : undefined
}

/** The value that a field has where a file says none; undefined where it then stays as it is. */
function absentValue(name: string, field: Field, absent: Form = {}): unknown {
  if (Object.hasOwn(absent, name)) return absent[name]
  if (isGivenOnce(field) || isOfNow(field)) return undefined
  if (field.default !== undefined) return defaultOf(field)
  if (field.required) return undefined
  if (['refs', 'strings', 'multichoice', 'list'].includes(field.type)) return []
  return isText(field) && !field.nullable ? '' : null
}

/** Ways of a kind's fields besides their definition. */
export type Ways = Pick<Kind, 'absent' | 'same'>

/** One value for all that mean the same, so that two can be compared as texts. */
function plainValue(name: string, field: Field, given: unknown, row: Form, { same }: Ways): unknown {
  const value = same?.[name]?.(given) ?? given
  if (value === null || value === undefined || value === '') return field.default === undefined ? null : (value ?? null)
  const inside = fieldsInside(field, row)
  if (inside && Array.isArray(value)) return value.map((one) => plainForm(inside, asForm(one)))
  if (inside) return plainForm(inside, asForm(value))
  if (isSet(field) && Array.isArray(value)) return [...new Set(value.map(String))].toSorted()
  if (field.type === 'datetime') return momentOf(value) ?? value
  if (field.type === 'choice' && field.integer) return Number(value)
  if (isText(field)) return String(value).trim()
  return field.type === 'object' ? inOrder(value) : value
}

/** Every field with its value or that of its absence, in one form. */
export function plainForm(fields: Fields, row: Form, ways: Ways = {}): Form {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      if (field.readOnly || isGivenOnce(field)) return []
      const value = row[name] === undefined ? absentValue(name, field, ways.absent) : row[name]
      return [[name, plainValue(name, field, value, row, ways)]]
    }),
  )
}

/** The row with what its absences say, as it is sent to be written. */
export function fullForm(fields: Fields, row: Form, ways: Ways = {}): Form {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      if (field.readOnly || isGivenOnce(field)) return []
      const value = row[name] === undefined ? absentValue(name, field, ways.absent) : row[name]
      if (value === undefined) return []
      const inside = fieldsInside(field, row)
      if (inside && Array.isArray(value)) return [[name, value.map((one) => fullForm(inside, asForm(one)))]]
      return [[name, inside && value !== null ? fullForm(inside, asForm(value)) : value]]
    }),
  )
}

/** The row without what its absence says as well. */
export function withoutDefaults(fields: Fields, row: Form, ways: Ways = {}): Form {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]): [string, unknown][] => {
      const value = row[name]
      if (value === undefined || field.readOnly || isGivenOnce(field)) return []
      const plain = (one: unknown) => plainValue(name, field, one, row, ways)
      if (!field.required && isSame(plain(value), plain(absentValue(name, field, ways.absent)))) return []
      const inside = fieldsInside(field, row)
      if (inside && Array.isArray(value)) return [[name, value.map((one) => withoutDefaults(inside, asForm(one)))]]
      if (inside) return [[name, withoutDefaults(inside, asForm(value))]]
      return [[name, field.type === 'object' ? inOrder(value) : value]]
    }),
  )
}

/** A moment as files have it, to the second; undefined for what is none. */
export function momentOf(value: unknown): string | undefined {
  const date = value instanceof Date ? value : parseDateTime(String(value).slice(0, 64), 'UTC')
  if (!date || Number.isNaN(date.getTime())) return undefined
  return new Date(Math.floor(date.getTime() / 1000) * 1000).toISOString().replace('.000Z', 'Z')
}

/** A name or an id as text; what is neither is empty, and is refused where its type is checked. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

export const asForm = (value: unknown): Form =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Form) : {}

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** JSON of any shape, with its keys in one order. */
export function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, inner]) => [key, inOrder(inner)]),
  )
}
