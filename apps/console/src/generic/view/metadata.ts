import type { FieldType, ResourceDefinition } from '@sallyport/contract/define.ts'
import { queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { api, type Query } from '../../lib/api.ts'
import { keys } from '../../lib/query.ts'

export interface RemoteChoice {
  value: string | number | boolean
  display_name: string
}

/** The metadata of a field (B7.27), already in the person's language. */
export interface RemoteField {
  type: string
  label: string
  required?: boolean
  read_only?: boolean
  write_only?: boolean
  help_text?: string
  default?: unknown
  max_length?: number
  min_length?: number
  max_value?: number
  min_value?: number
  choices?: RemoteChoice[]
  children?: Record<string, RemoteField>
  /** The field that says which `children` an object has: OPTIONS names them by `?<field>=`. */
  shape_by?: string
  nullable?: boolean
  /** It holds how a row is called, with what tells that one apart: `Ann(ann)`. */
  named?: boolean
  /** Name of the referenced resource. */
  related?: string
  /** Several of them. */
  many?: boolean
  /** The list takes this as filter. */
  filter?: boolean
  /** The list can be ordered by it. */
  order?: boolean
}

export interface Metadata {
  name?: string
  actions: Partial<Record<'GET' | 'POST' | 'PUT' | 'PATCH', Record<string, RemoteField>>>
}

/** While nothing is known of the fields. */
export const NO_FIELDS: Readonly<Record<string, RemoteField>> = {}

/** Field metadata of a list address, asked for once. The component that waits for it shows that it failed. */
export function useMetadata(path: string): UseQueryResult<Metadata> {
  return useQuery(metadataQuery(path))
}

/** How it is asked for; `choices` are values of fields that others depend on. */
export function metadataQuery(path: string, choices?: Query) {
  return queryOptions({
    queryKey: choices ? [...keys.options(path), choices] : keys.options(path),
    queryFn: ({ signal }) =>
      // What follows from a choice within a form has no place of its own to say that it failed.
      api.options<Metadata>(path, { query: { draw: 1, display: 1, ...choices }, signal, quiet: !choices }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
}

/**
 * The field kind as pages know it: the server writes `multiple choice`, `nested object` and the
 * like.
 */
export type FieldKind =
  | 'string'
  | 'integer'
  | 'float'
  | 'boolean'
  | 'datetime'
  | 'email'
  | 'url'
  | 'choice'
  | 'multichoice'
  | 'ref'
  | 'refs'
  | 'strings'
  | 'list'
  | 'object'

const KINDS: Readonly<Record<string, FieldKind>> = {
  integer: 'integer',
  float: 'float',
  boolean: 'boolean',
  datetime: 'datetime',
  date: 'datetime',
  email: 'email',
  url: 'url',
  choice: 'choice',
  'multiple choice': 'multichoice',
  'nested object': 'object',
}

/** Kind of a field by its metadata; unknown types are text. */
export function kindOf(field: RemoteField): FieldKind {
  if (field.type === 'field') return field.many ? 'refs' : 'ref'
  if (field.type === 'list') return field.children ? 'list' : 'strings'
  return KINDS[field.type] ?? 'string'
}

/** Nothing can be ordered by these. */
const WITHOUT_ORDER: ReadonlySet<FieldType> = new Set(['refs', 'strings', 'multichoice', 'list', 'object'])

/** Whether a list can be ordered by a field, as its definition says: the server tells the same later. */
export function isDefinedOrder({ ordering, fields }: ResourceDefinition, name: string): boolean {
  const field = fields[name]
  if (ordering !== '*') return ordering.includes(name)
  return field !== undefined && !field.writeOnly && !WITHOUT_ORDER.has(field.type)
}
