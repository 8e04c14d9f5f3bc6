import type { Field, Fields, FieldType } from '@sallyport/contract/define.ts'
import { z } from 'zod'
import type { Takes } from '../access/guard.ts'

/** The part of JSON Schema that bodies of ours use. */
interface Schema {
  type?: string | string[]
  format?: string
  enum?: (string | number)[]
  maxLength?: number
  minLength?: number
  maximum?: number
  minimum?: number
  default?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
}

/** Fields that are shown and no more, by type; what they are called follows from their names. */
export const plainFields = (types: Readonly<Record<string, FieldType>>): Fields =>
  Object.fromEntries(
    Object.entries(types).map(([name, type]) => [name, { type, label: labelOf(name), readOnly: true }]),
  )

/** The fields of a body, also of one that is checked by a schema of its own. */
export function fieldsOfBody(described: Takes, query: Readonly<Record<string, string>> = {}): Fields {
  const body = typeof described === 'function' ? described(query) : described
  return 'fields' in body
    ? body.fields
    : fieldsOf(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Schema)
}

function fieldsOf({ properties = {}, required = [] }: Schema): Fields {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, fieldOf(name, schema, required.includes(name))]),
  )
}

function fieldOf(name: string, given: Schema, required: boolean): Field {
  const alternatives = given.anyOf?.filter(({ type }) => type !== 'null')
  const schema = alternatives?.[0] ?? given
  const { maxLength, minLength, maximum: max, minimum: min, default: byDefault } = schema
  const bounds = { maxLength, minLength, max, min, default: byDefault ?? given.default }
  return {
    ...kindOf(schema),
    ...Object.fromEntries(Object.entries(bounds).filter(([, value]) => value !== undefined)),
    label: labelOf(name),
    required,
    ...(alternatives && alternatives.length < (given.anyOf?.length ?? 0) ? { nullable: true } : {}),
  }
}

function kindOf(schema: Schema): Pick<Field, 'type'> & Partial<Field> {
  const { type, format, items, properties } = schema
  if (schema.enum) return { type: 'choice', choices: choicesOf(schema.enum) }
  if (type === 'integer' || type === 'boolean') return { type }
  if (type === 'number') return { type: 'float' }
  if (type === 'array') return items?.enum ? { type: 'multichoice', choices: choicesOf(items.enum) } : listOf(items)
  if (type === 'object') return { type: 'object', ...(properties ? { fields: fieldsOf(schema) } : {}) }
  return { type: format === 'email' ? 'email' : format === 'uri' ? 'url' : 'string' }
}

const listOf = (items: Schema | undefined): Pick<Field, 'type'> & Partial<Field> =>
  items?.properties ? { type: 'list', fields: fieldsOf(items) } : { type: 'strings' }

const choicesOf = (values: readonly (string | number)[]) =>
  Object.fromEntries(values.map((one) => [one, labelOf(String(one))]))

/** `old_password` is *Old password*. */
const labelOf = (name: string) => {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
