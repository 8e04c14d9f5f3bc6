/**
 * Objects whose shape depends on another field of their row (`shapeBy` in the contract). They are
 * stored as JSON in which each secret is sealed by itself; the row's value of that field decides
 * how its object is read and shown.
 */
import type { Field, Fields, ResourceDefinition } from '@sallyport/contract/define.ts'
import type { FieldErrors } from '@sallyport/contract/errors.ts'
import { translate } from '../i18n/translate.ts'
import { sealInJson } from '../secrets/sealed-json.ts'
import type { Vault } from '../secrets/vault.ts'
import type { ReadContext, StoredRow } from './mount.ts'
import { resolveReferences } from './references.ts'
import type { MountedResource } from './registry.ts'
import { readBody, type WriteMode } from './schema.ts'

type Values = Record<string, unknown>

/** The fields of an object under one choice; none for a choice without a shape. */
export function shapeOf({ shapes = {} }: Pick<Field, 'shapes'>, chosen: unknown): Fields {
  return typeof chosen === 'string' && Object.hasOwn(shapes, chosen) ? (shapes[chosen] ?? {}) : {}
}

/** Fields with shapes, each with the name of the field that decides; most resources have none. */
export const shapedFields = ({ fields }: ResourceDefinition) =>
  Object.entries(fields).flatMap(([name, field]) => (field.shapeBy ? [{ name, field, by: field.shapeBy }] : []))

/** The stored object; undefined if it was stored under another choice. */
function storedUnder(row: StoredRow | undefined, name: string, by: string, chosen: unknown): Values | undefined {
  return row && row[by] === chosen ? asObject(row[name]) : undefined
}

const asObject = (value: unknown): Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
const isSecret = (fields: Fields, name: string) => fields[name]?.writeOnly === true
const isEmpty = (value: unknown) => value === undefined || value === null || value === ''

/**
 * Reads the input of objects with shapes into the draft, as rules see it: merged over the stored
 * value, on PUT too (docs/rules/applications.md#attrs). It holds only secrets that were sent; an
 * empty one means unchanged. If the choice changes, everything is read as on create. Errors go
 * under `name.field`.
 */
export async function readShapes(
  resource: MountedResource,
  mode: WriteMode,
  sent: Readonly<Values>,
  draft: Values,
  row: StoredRow | undefined,
  context: ReadContext,
  errors: FieldErrors,
): Promise<void> {
  const { definition, mount } = resource
  for (const { name, field, by } of shapedFields(definition)) {
    const chosen = draft[by] ?? row?.[by]
    const stored = storedUnder(row, name, by, chosen)
    if (sent[name] === undefined && stored && (mode === 'patch' || !field.required)) continue
    const say = (text: string) => translate(context.call.language, text)
    const value = sent[name] === undefined && !field.required ? {} : sent[name]
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      errors[name] = [say(value === undefined ? 'This field is required.' : 'Invalid data. Expected an object.')]
      continue
    }
    const fields = shapeOf(field, chosen)
    const given = Object.fromEntries(
      Object.entries(value).filter(([key, one]) => !isSecret(fields, key) || !isEmpty(one)),
    )
    const shape = { name: `${definition.name}.${name}.${chosen}`, fields }
    const inside = readBody(shape, stored ? 'patch' : 'create', context.call.language, given)
    if (!Object.keys(inside.errors).length)
      await resolveReferences({ definition: shape, mount }, inside.values, context, inside.errors)
    for (const [key, messages] of Object.entries(inside.errors)) errors[`${name}.${key}`] = messages
    const kept = Object.entries(stored ?? {}).filter(([key]) => Object.hasOwn(fields, key) && !isSecret(fields, key))
    draft[name] = { ...Object.fromEntries(kept), ...inside.values }
  }
}

/**
 * What to store of a draft's objects: secrets that were sent are sealed; the others stay unless the
 * choice changes.
 */
export function sealShapes(
  definition: ResourceDefinition,
  draft: Values,
  row: StoredRow | undefined,
  secrets: Pick<Vault, 'seal'>,
): Values {
  const sealed: Values = {}
  for (const { name, field, by } of shapedFields(definition)) {
    if (draft[name] === undefined) continue
    const chosen = draft[by] ?? row?.[by]
    const fields = shapeOf(field, chosen)
    const stored = storedUnder(row, name, by, chosen) ?? {}
    const kept = Object.entries(stored).filter(([key]) => isSecret(fields, key))
    const written = Object.entries(asObject(draft[name])).flatMap(([key, value]): [string, unknown][] => {
      if (!isSecret(fields, key)) return [[key, value]]
      return isEmpty(value)
        ? []
        : [[key, sealInJson(secrets, typeof value === 'string' ? value : JSON.stringify(value))]]
    })
    sealed[name] = { ...Object.fromEntries(kept), ...Object.fromEntries(written) }
  }
  return sealed
}

/**
 * An object as it is answered: the fields of its shape without secrets. Fields that are not stored
 * are null; read-only ones are filled in by the domain.
 */
export function presentShape(field: Field, chosen: unknown, stored: unknown): Values {
  const values = asObject(stored)
  const shown = Object.entries(shapeOf(field, chosen)).filter(
    ([key, one]) => !one.writeOnly && !(one.readOnly && values[key] === undefined),
  )
  return Object.fromEntries(shown.map(([key]) => [key, values[key] ?? null]))
}
