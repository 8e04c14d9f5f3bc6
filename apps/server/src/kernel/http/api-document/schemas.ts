/** Rows of resources as JSON Schema (2020-12, the dialect of OpenAPI 3.1). */
import type { Field, Fields, ResourceDefinition } from '@sallyport/contract/define.ts'
import { shapeOf } from '../../resource/shapes.ts'
import { exampleOf, type Side } from './examples.ts'

export type Json = Record<string, unknown>
type Described = Pick<ResourceDefinition, 'fields'>

/** Schema of a row in answers: everything but secrets. */
export const rowSchema = ({ fields }: Described): Json => ofObject(fields, 'read')

/** Schema of a create: everything that may be written. */
export const draftSchema = ({ fields }: Described): Json => ofObject(fields, 'written')

/** Schema of a PATCH: any of the writable fields. */
export const changesSchema = ({ fields }: Described): Json => ofObject(fields, 'changed')

function ofObject(fields: Fields, side: Side): Json {
  return { ...objectSchema(fields, side), examples: [exampleOf(fields, side)] }
}

function objectSchema(fields: Fields, side: Side): Json {
  const known = Object.entries(fields).filter(([, field]) => !(side === 'read' ? field.writeOnly : field.readOnly))
  const required = side === 'written' ? known.flatMap(([name, field]) => (mustBeSent(field) ? [name] : [])) : []
  // One after the other where several objects have shapes: a row fits one shape of each.
  const shaped = known.flatMap(([name, field]) => (field.shapeBy ? [oneShape(name, field, fields, side)] : []))
  return {
    type: 'object',
    properties: Object.fromEntries(known.map(([name, field]) => [name, fieldSchema(field, side)])),
    ...(required.length ? { required } : {}),
    ...(shaped.length > 1 ? { allOf: shaped } : shaped[0]),
  }
}

const mustBeSent = ({ required, default: otherwise }: Field) => required === true && otherwise === undefined

/** Schema of an object under each choice of the field that decides its shape, which a PATCH need not name. */
function oneShape(name: string, field: Field, { [field.shapeBy ?? '']: by }: Fields, side: Side): Json {
  return {
    [side === 'changed' ? 'anyOf' : 'oneOf']: Object.entries(by?.choices ?? {}).map(([choice, label]) => ({
      title: label,
      properties: {
        [field.shapeBy ?? '']: { const: by?.integer ? Number(choice) : choice },
        [name]: objectSchema(shapeOf(field, choice), side),
      },
      ...(field.shapeBy && side !== 'changed' ? { required: [field.shapeBy] } : {}),
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
  datetime: { type: 'string', format: 'sallyport-time' },
  choice: { type: 'string' },
  multichoice: { type: 'array', items: { type: 'string' } },
  strings: { type: 'array', items: { type: 'string' } },
  ref: { type: ['string', 'integer'] },
  refs: { type: 'array', items: { type: ['string', 'integer'] } },
  object: { type: 'object' },
  list: { type: 'array', items: { type: 'object' } },
}

function fieldSchema(field: Field, side: Side): Json {
  const schema = {
    ...TYPES[field.type],
    ...insideSchema(field, side),
    ...choicesSchema(field),
    ...(side === 'read' ? {} : boundsOf(field)),
    title: field.label,
    ...(field.helpText ? { description: field.helpText } : {}),
    ...(field.readOnly ? { readOnly: true } : {}),
    ...(field.writeOnly ? { writeOnly: true } : {}),
  }
  return mayBeNull(field) ? orNull(schema) : schema
}

/**
 * Whether null may come or be sent. What need not be sent is null where nothing was; what may be null
 * is taken as a default, or an empty text.
 */
const mayBeNull = (field: Field) => field.nullable || (!field.required && !isList(field))

const isList = ({ type }: Field) => ['multichoice', 'strings', 'refs', 'list', 'boolean'].includes(type)

function orNull(schema: Json): Json {
  const { type, enum: values } = schema
  return {
    ...schema,
    type: [...(Array.isArray(type) ? type : [type]), 'null'],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  }
}

function choicesSchema({ type, choices, integer }: Field): Json {
  if (type === 'choice' && choices && isOfBooleans(choices)) return { type: 'boolean' }
  if (type === 'choice' && choices)
    return {
      ...(integer ? { type: 'integer' } : {}),
      enum: Object.keys(choices).map((value) => (integer ? Number(value) : value)),
    }
  if (type === 'multichoice' && choices) return { items: { type: 'string', enum: Object.keys(choices) } }
  return {}
}

/** Some are offered as choices, and booleans on the wire. */
const isOfBooleans = (choices: Readonly<Record<string, string>>) =>
  Object.keys(choices).every((value) => value === 'true' || value === 'false')

/** What holds for what is sent alone: rows may be older than a bound. */
function boundsOf({ maxLength, minLength, min, max, minItems, maxItems, pattern, default: otherwise }: Field): Json {
  const bounds = { maxLength, minLength, minimum: min, maximum: max, minItems, maxItems, pattern, default: otherwise }
  return Object.fromEntries(Object.entries(bounds).filter(([, value]) => value !== undefined))
}

/** The fields of an object, or of each item of a list, where the definition names them. */
function insideSchema({ type, fields }: Field, side: Side): Json {
  if (!fields) return {}
  return type === 'list' ? { items: objectSchema(fields, side) } : objectSchema(fields, side)
}
