/** Rows of resources as JSON Schema (2020-12, the dialect of OpenAPI 3.1). */
import type { Field, Fields, ResourceDefinition } from '@sallyport/contract/define.ts'
import { shapeOf } from '../resource/shapes.ts'

export type Json = Record<string, unknown>
type Side = 'read' | 'written' | 'changed'

/** Schema of a row in answers: everything but secrets. */
export function rowSchema({ fields }: Pick<ResourceDefinition, 'fields'>): Json {
  return objectSchema(fields, 'read')
}

/** Schema of a create: everything that may be written. */
export function draftSchema({ fields }: Pick<ResourceDefinition, 'fields'>): Json {
  return objectSchema(fields, 'written')
}

/** Schema of a PATCH: any of the writable fields. */
export function changesSchema({ fields }: Pick<ResourceDefinition, 'fields'>): Json {
  return objectSchema(fields, 'changed')
}

function objectSchema(fields: Fields, side: Side): Json {
  const known = Object.entries(fields).filter(([, field]) => !(side === 'read' ? field.writeOnly : field.readOnly))
  const required = side === 'written' ? known.flatMap(([name, field]) => (field.required ? [name] : [])) : []
  // One after the other where several objects have shapes: a row fits one shape of each.
  const shaped = known.flatMap(([name, field]) => (field.shapeBy ? [oneShape(name, field, fields, side)] : []))
  return {
    type: 'object',
    properties: Object.fromEntries(known.map(([name, field]) => [name, fieldSchema(field, side)])),
    ...(required.length ? { required } : {}),
    ...(shaped.length > 1 ? { allOf: shaped } : shaped[0]),
  }
}

/** Schema of an object under each choice of the field that decides its shape. */
function oneShape(name: string, field: Field, { [field.shapeBy ?? '']: by }: Fields, side: Side): Json {
  return {
    oneOf: Object.entries(by?.choices ?? {}).map(([choice, label]) => ({
      title: label,
      properties: {
        [field.shapeBy ?? '']: { const: by?.integer ? Number(choice) : choice },
        [name]: objectSchema(shapeOf(field, choice), side),
      },
      ...(field.shapeBy ? { required: [field.shapeBy] } : {}),
    })),
  }
}

const TYPES: Record<Field['type'], Json> = {
  uuid: { type: 'string', format: 'uuid' },
  string: { type: 'string' },
  text: { type: 'string' },
  email: { type: 'string', format: 'email' },
  url: { type: 'string', format: 'uri' },
  integer: { type: 'integer' },
  float: { type: 'number' },
  boolean: { type: 'boolean' },
  datetime: { type: 'string', examples: ['2026/11/21 07:08:09 +0800'] },
  choice: {},
  multichoice: { type: 'array', items: { type: 'string' } },
  strings: { type: 'array', items: { type: 'string' } },
  ref: { type: ['string', 'integer'] },
  refs: { type: 'array', items: { type: 'string' } },
  object: { type: 'object' },
  list: { type: 'array', items: { type: 'object' } },
}

function fieldSchema(field: Field, side: Side): Json {
  return {
    ...TYPES[field.type],
    ...insideSchema(field, side),
    title: field.label,
    ...(field.helpText ? { description: field.helpText } : {}),
    ...(field.choices && field.type === 'choice'
      ? { enum: Object.keys(field.choices).map((value) => (field.integer ? Number(value) : value)) }
      : {}),
    ...(field.maxLength ? { maxLength: field.maxLength } : {}),
    ...(field.readOnly ? { readOnly: true } : {}),
    ...(field.writeOnly ? { writeOnly: true } : {}),
  }
}

/** The fields of an object, or of each item of a list, where the definition names them. */
function insideSchema({ type, fields }: Field, side: Side): Json {
  if (!fields) return {}
  return type === 'list' ? { items: objectSchema(fields, side) } : objectSchema(fields, side)
}
