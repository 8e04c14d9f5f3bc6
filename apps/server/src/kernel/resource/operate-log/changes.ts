/**
 * The changes of a write, field by field, for the operate log: the row before and after as they are
 * stored, and the links that were added and removed. Secrets are only listed as set.
 */
import type { Field, Fields } from '@sallyport/contract/define.ts'
import type { FieldChange, LinkDifference, LoggedValue } from '../../audit/audit.ts'
import type { StoredRow } from '../mount.ts'
import type { MountedResource } from '../registry.ts'
import { defaultOf } from '../schema.ts'
import { shapeOf } from '../shapes.ts'

/** Limits of the changes that are kept: fields of a row, and characters of a value. */
const MAX_FIELDS = 100
const MAX_TEXT = 500
export const MAX_ITEMS = 20
const MAX_ITEM_TEXT = 100

/** The row of the log says these by itself. */
const UNSAID: ReadonlySet<string> = new Set(['id', 'created_by'])

/** A field with the values that its columns hold. */
export interface Difference {
  /** Name on the wire; of a field inside an object `meta.endpoint`. */
  name: string
  field: Field
  before: unknown
  after: unknown
}

/**
 * The fields that differ; of a new row, those that hold something else than their default. Secrets
 * count as changed when one was sent, as nobody can compare them.
 */
export function differencesOf(
  { definition }: MountedResource,
  draft: Readonly<Record<string, unknown>>,
  before: StoredRow | undefined,
  after: StoredRow,
): Difference[] {
  const found: Difference[] = []
  for (const [name, field] of Object.entries(definition.fields)) {
    if (field.readOnly || UNSAID.has(name)) continue
    if (field.writeOnly) {
      if (isSecret(field) && !isEmpty(draft[name])) found.push({ name, field, before: undefined, after: undefined })
    } else if (name in after)
      found.push(...inside({ name, field, before: before?.[name], after: after[name] }, before, after))
  }
  const changed = before
    ? found
    : found.filter(({ field, after: value }) => isSecret(field) || !isDefault(field, value))
  return changed.slice(0, MAX_FIELDS)
}

/** The values of a deleted row besides defaults, without its secrets. */
export function lastValues({ definition }: MountedResource, row: StoredRow): Difference[] {
  return Object.entries(definition.fields)
    .filter(([name, field]) => !field.readOnly && !field.writeOnly && !UNSAID.has(name) && name in row)
    .flatMap(([name, field]) => inside({ name, field, before: row[name], after: undefined }, row, row))
    .filter(({ field, before }) => !field.writeOnly && !isDefault(field, before))
    .slice(0, MAX_FIELDS)
}

/**
 * Changes of what is written otherwise than as a row of the engine: values by field, before and
 * after. What stayed is left out, and so are names that are no fields; of a secret there is only
 * that it was set.
 * @param before undefined where there was nothing
 */
export function valueChanges(
  fields: Fields,
  before: Readonly<Record<string, unknown>> | undefined,
  after: Readonly<Record<string, unknown>>,
): FieldChange[] {
  const differences = Object.entries(after).flatMap(([name, value]) => {
    const field = fields[name]
    return field ? inside({ name, field, before: before?.[name], after: value }, before, { ...after }) : []
  })
  return differences.slice(0, MAX_FIELDS).map((one) => changeOf(one, (id) => id))
}

/** The same of what is no row of the engine at all: each change says itself what people call it. */
export function labelledChanges(...values: Parameters<typeof valueChanges>): FieldChange[] {
  const [fields] = values
  return valueChanges(...values).map((change) => ({ ...change, label: fields[change.field]?.label ?? change.field }))
}

/** Whether nothing of the field may be kept. Other write-only fields say how to make values. */
export const isSecret = ({ writeOnly, type }: Field): boolean =>
  writeOnly === true && (type === 'string' || type === 'text')

/** An object with known fields as the differences of these, anything else as it is. */
function inside(whole: Difference, rowBefore: StoredRow | undefined, rowAfter: StoredRow): Difference[] {
  const { name, field, before, after } = whole
  if (isSame(before, after)) return []
  const { shapeBy } = field
  const fields: Fields | undefined = shapeBy
    ? { ...shapeOf(field, rowBefore?.[shapeBy]), ...shapeOf(field, rowAfter[shapeBy]) }
    : field.type === 'object'
      ? field.fields
      : undefined
  if (!fields) return [whole]
  const [old, now] = [asObject(before), asObject(after)]
  return Object.entries(fields).flatMap(([key, inner]) =>
    isSame(old[key], now[key]) ? [] : [{ name: `${name}.${key}`, field: inner, before: old[key], after: now[key] }],
  )
}

const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
const isSame = (one: unknown, other: unknown) =>
  one === other || (isEmpty(one) ? isEmpty(other) : JSON.stringify(one) === JSON.stringify(other))

/** Whether somebody who leaves the field alone would get the same. */
const isDefault = (field: Field, value: unknown) =>
  isEmpty(value) || (field.default === undefined ? value === false : isSame(defaultOf(field), value))

/** A difference as it is kept; `namesOf` writes the rows that a reference means. */
export function changeOf({ name, field, before, after }: Difference, nameOf: (id: string) => string): FieldChange {
  if (field.writeOnly) return { field: name, is_secret: true }
  const written = (value: unknown) =>
    keep(field.type === 'ref' && field.by !== 'name' && !isEmpty(value) ? nameOf(String(value)) : value, field)
  const [old, now] = [written(before), written(after)]
  return {
    field: name,
    before: old.value,
    after: now.value,
    ...(old.isCut || now.isCut ? { is_cut: true } : {}),
  }
}

/** The links of which names are kept. */
export const namedLinks = ({ added, removed }: LinkDifference): readonly string[] => [
  ...added.slice(0, MAX_ITEMS),
  ...removed.slice(0, MAX_ITEMS),
]

/** A change of links as it is kept. */
export function linkChangeOf(difference: LinkDifference, nameOf: (id: string) => string): FieldChange {
  const { name, added, removed, removedAmount = removed.length } = difference
  const named = (ids: readonly string[]) => ids.slice(0, MAX_ITEMS).map((id) => cut(nameOf(id), MAX_ITEM_TEXT))
  return {
    field: name,
    added: named(added),
    added_amount: added.length,
    removed: named(removed),
    removed_amount: removedAmount,
  }
}

function keep(value: unknown, field: Field): { value: LoggedValue; isCut: boolean } {
  if (isEmpty(value)) return { value: null, isCut: false }
  if (value instanceof Date) return { value: value.toISOString(), isCut: false }
  if (typeof value === 'boolean' || typeof value === 'number') return { value, isCut: false }
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    const texts = value.map(String)
    const isCut = texts.length > MAX_ITEMS || texts.some((text) => text.length > MAX_ITEM_TEXT)
    return { value: texts.slice(0, MAX_ITEMS).map((text) => cut(text, MAX_ITEM_TEXT)), isCut }
  }
  const text = typeof value === 'object' ? JSON.stringify(withoutSecrets(value, field.fields)) : String(value)
  return { value: cut(text, MAX_TEXT), isCut: text.length > MAX_TEXT }
}

/** Cuts; PostgreSQL takes no half of a surrogate pair into JSON. */
const cut = (text: string, length: number) => text.slice(0, length).toWellFormed()

/** JSON without write-only fields, and without what is sealed in it. */
function withoutSecrets(value: unknown, fields: Fields = {}): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, fields))
  if (typeof value !== 'object' || value === null) return value
  if ('$sealed' in value) return undefined
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !fields[key]?.writeOnly)
      .map(([key, inner]) => [key, withoutSecrets(inner, fields[key]?.fields)]),
  )
}
