import type { Field, Fields, Filter } from '@sallyport/contract/define.ts'
import type { Call } from '../../access/call.ts'
import { type DescribedRows, may, type RegisteredRoute } from '../../access/guard.ts'
import { translate } from '../../i18n/translate.ts'
import type { ReadContext } from '../mount.ts'
import { fieldsOfBody } from '../plain-fields.ts'
import { findStored } from '../read.ts'
import type { MountedResource } from '../registry.ts'
import { shapedFields, shapeOf } from '../shapes.ts'

export type FieldMetadata = Record<string, unknown>

/**
 * Field types as existing clients call them (docs/rules/api.md#metadata).
 */
const WIRE_TYPES: Record<Field['type'], string> = {
  uuid: 'string',
  string: 'string',
  text: 'string',
  email: 'email',
  url: 'url',
  integer: 'integer',
  float: 'float',
  boolean: 'boolean',
  datetime: 'datetime',
  choice: 'choice',
  multichoice: 'multiple choice',
  strings: 'list',
  ref: 'field',
  refs: 'field',
  object: 'nested object',
  list: 'list',
}

/**
 * The OPTIONS answer: the fields for this caller, which of them can be written, their choices,
 * defaults and bounds (B7.27). `ownCalls` are those at this address that the engine does not
 * serve.
 */
export function metadataOf(
  { definition, mount }: MountedResource,
  call: Call,
  query: ReadContext['query'] = {},
  ownCalls: readonly RegisteredRoute[] = [],
): Record<string, unknown> {
  const { permission, operations } = definition
  const actions: Record<string, Record<string, FieldMetadata>> = {}
  if (may(permission.list, call)) actions.GET = readMetadata(definition, call, query)
  const writable = () => fieldsMetadata(definition.fields, call, query)
  if (operations.includes('create') && may(permission.create ?? permission.write, call)) actions.POST = writable()
  if (operations.includes('update') && may(permission.update ?? permission.write, call)) actions.PUT = writable()
  if (operations.includes('partial_update') && may(permission.update ?? permission.write, call))
    actions.PATCH = writable()
  for (const { method, access, config } of ownCalls)
    if (config.takes && !actions[method] && may(access, call))
      actions[method] = fieldsMetadata(fieldsOfBody(config.takes, query), call, query)
  mount.metadata?.(actions, call, query)
  return metadataBody(translate(call.language, definition.label), actions)
}

/** The answer of OPTIONS; `actions` are fields by method. */
export const metadataBody = (
  name: string,
  actions: Record<string, Record<string, FieldMetadata>>,
): Record<string, unknown> => ({
  name,
  description: '',
  renders: ['application/json', 'text/csv', 'application/xlsx'],
  parses: ['application/json', 'text/csv', 'text/xlsx'],
  actions,
})

/**
 * The same at a row's own address: objects with shapes are described as that row has them, unless
 * the query names another choice. A row that this call may not see is described as any.
 */
export async function metadataOfRow(
  resource: MountedResource,
  id: string,
  context: ReadContext,
): Promise<Record<string, unknown>> {
  const { call, query } = context
  const shaped = shapedFields(resource.definition)
  const row = shaped.length ? await findStored(resource, id, context) : undefined
  const chosen = row ? Object.fromEntries(shaped.map(({ by }) => [by, String(row[by])])) : {}
  return metadataOf(resource, call, { ...chosen, ...query })
}

/** What OPTIONS says of rows that a list or detail answers. */
export function readMetadata(
  definition: DescribedRows,
  call: Call,
  query: ReadContext['query'],
): Record<string, FieldMetadata> {
  const filters = new Map(
    (definition.filters ?? []).map((filter) =>
      typeof filter === 'string' ? [filter, { name: filter }] : [filter.name, filter],
    ) as [string, Filter][],
  )
  const fields: Record<string, FieldMetadata> = {}
  for (const [name, field] of Object.entries(definition.fields)) {
    fields[name] = fieldMetadata(field, call, query)
    if (filters.has(name) && !filters.get(name)?.hidden) fields[name].filter = true
    if (definition.ordering === '*' ? isSortable(field) : definition.ordering?.includes(name)) fields[name].order = true
    filters.delete(name)
  }
  // Filters that are not fields are offered in the search box as well.
  for (const filter of filters.values()) {
    if (filter.hidden || !filter.label) continue
    fields[filter.name] = {
      type: filter.type ?? 'string',
      label: translate(call.language, filter.label),
      required: false,
      read_only: true,
      write_only: true,
      filter: true,
      ...(filter.choices ? { choices: choicesOf({ choices: filter.choices }, call) } : {}),
    }
  }
  return fields
}

const isSortable = (field: Field) =>
  !['refs', 'strings', 'multichoice', 'list', 'object'].includes(field.type) && !field.writeOnly

/**
 * What OPTIONS says about fields, by name. The query chooses how objects with shapes are described:
 * `?type=mysql`.
 */
export function fieldsMetadata(
  fields: Fields,
  call: Call,
  query: ReadContext['query'] = {},
): Record<string, FieldMetadata> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldMetadata(field, call, query)]))
}

function fieldMetadata(field: Field, call: Call, query: ReadContext['query']): FieldMetadata {
  const metadata: FieldMetadata = {
    type: WIRE_TYPES[field.type],
    required: field.required === true && !field.readOnly,
    read_only: field.readOnly === true,
    write_only: field.writeOnly === true,
    label: translate(call.language, field.label),
  }
  if (field.helpText) metadata.help_text = translate(call.language, field.helpText)
  if (field.default !== undefined && !(typeof field.default === 'string' && field.type === 'datetime'))
    metadata.default = field.default
  if (field.minLength !== undefined) metadata.min_length = field.minLength
  if (field.maxLength !== undefined) metadata.max_length = field.maxLength
  if (field.min !== undefined) metadata.min_value = field.min
  if (field.max !== undefined) metadata.max_value = field.max
  if (field.choices) metadata.choices = choicesOf(field, call)
  if (field.nullable) metadata.nullable = true
  if (field.named) metadata.named = true
  if (field.to) Object.assign(metadata, { related: field.to, many: field.type === 'refs' })
  if (field.fields) metadata.children = fieldsMetadata(field.fields, call)
  if (field.shapeBy)
    Object.assign(metadata, {
      shape_by: field.shapeBy,
      children: fieldsMetadata(shapeOf(field, query[field.shapeBy]), call),
    })
  return metadata
}

function choicesOf(
  { choices, integer }: Pick<Field, 'choices' | 'integer'>,
  call: Call,
): { value: unknown; display_name: string }[] {
  return Object.entries(choices ?? {}).map(([value, label]) => ({
    value: integer ? Number(value) : value,
    display_name: translate(call.language, label),
  }))
}
