/**
 * The definition of a resource, as plain data. Both sides read the same definition: the server derives
 * validation, metadata, SQL and documents from it, the console its columns and forms. It does not
 * use zod, since definitions are part of the console's chunks, where plain data is smallest.
 */
import type { Access } from './access.ts'

export type FieldType =
  | 'uuid'
  | 'string' // one line
  | 'text' // many lines
  | 'email'
  | 'url'
  | 'integer'
  | 'float'
  | 'boolean'
  | 'datetime'
  | 'choice' // one of `choices`
  | 'multichoice' // several of `choices`
  | 'strings' // a list of strings
  | 'ref' // the id (or name, see `by`) of a row of `to`
  | 'refs' // ids of rows of `to`
  | 'object' // JSON, shaped by `fields` where given
  | 'list' // a list of JSON objects

export interface Field {
  type: FieldType
  /** English label, which is also the key of the Chinese one. */
  label: string
  helpText?: string
  /** Must be sent on create and PUT. */
  required?: boolean
  /** `null` may be sent. */
  nullable?: boolean
  /**
   * An empty string may be sent although the field is required; optional text may always be empty.
   */
  blank?: boolean
  readOnly?: boolean
  /** Never answered, exported or logged. */
  writeOnly?: boolean
  maxLength?: number
  minLength?: number
  min?: number
  max?: number
  minItems?: number
  maxItems?: number
  /** Value → English label. */
  choices?: Readonly<Record<string, string>>
  /** In a `multichoice`: values that are no choice are left out instead of refused. */
  ignoresUnknown?: boolean
  /** Choices are integers on the wire. */
  integer?: boolean
  /** JavaScript regular expression the value must match. */
  pattern?: string
  /**
   * The value of a field that is missing on create and PUT. For datetimes `'now'` and
   * `'now+<days>'` are understood.
   */
  default?: unknown
  /** Text that is how a row is or was called, with what tells that one apart: `Ann(ann)`. */
  named?: boolean
  /** Name of the referenced resource, for `ref` and `refs`. */
  to?: string
  /** Rows that can't be referred to: those whose field has this value; `why` is said then. */
  except?: Readonly<{ field: string; value: string; why: string }>
  /** The form of a referenced row on the wire: its id (default) or its name. */
  by?: 'id' | 'name'
  /** Within what the value must be unique. */
  unique?: 'org' | 'global'
  /** Shape of an `object`, or of each item of a `list`. */
  fields?: Fields
  /** The choice field of the same resource that decides which of `shapes` an `object` has. */
  shapeBy?: string
  /**
   * Fields of the `object` by the value of `shapeBy`; none under any other value. Write-only ones
   * are sealed one by one.
   */
  shapes?: Readonly<Record<string, Fields>>
}

export type Fields = Readonly<Record<string, Field>>

/**
 * A query key of the list. A bare name in `filters` is an exact match on the field of that name.
 */
export interface Filter<N extends string = string> {
  name: N
  /** How the value is compared; `custom` filters are functions of the mounted resource. */
  match?: 'exact' | 'contains' | 'startsWith' | 'custom'
  /** How the console asks for it; by default as for the field of the same name. */
  type?: 'string' | 'boolean' | 'choice' | 'datetime'
  label?: string
  choices?: Readonly<Record<string, string>>
  /** Accepted, but not offered in the console's search box. */
  hidden?: boolean
}

export type Operation =
  | 'list'
  | 'create'
  | 'retrieve'
  | 'update'
  | 'partial_update'
  | 'destroy'
  | 'bulk_create'
  | 'bulk_update'
  | 'bulk_destroy'
  | 'import'
  | 'export'
  | 'suggestions'

export interface ResourceDefinition<F extends Fields = Fields, N extends string = string> {
  /** Singular snake_case name, the same everywhere: contract, table, files, translations. */
  name: string
  /** Path of the list, with slashes at both ends. Route parameters are written `:name`. */
  path: string
  /** English label of one row. */
  label: string
  /**
   * `org`: rows belong to an organization; `global`: to the installation; `self`: to the caller.
   */
  scope: 'org' | 'global' | 'self'
  operations: readonly Operation[]
  /**
   * Allowed callers. `list` also covers retrieve, metadata and export unless `retrieve` is given;
   * `write` covers create, update and destroy unless they are.
   */
  permission: {
    list: readonly Access[]
    write: readonly Access[]
    retrieve?: readonly Access[]
    create?: readonly Access[]
    update?: readonly Access[]
    destroy?: readonly Access[]
    suggestions?: readonly Access[]
  }
  /** How a row is written for people: `{hostname}({ip})`. May use any column of the table. */
  display: string
  fields: F
  /** Answered for `fields_size=mini`; `id` and the display's fields when absent. */
  mini?: readonly string[]
  /** Answered for `fields_size=small`. */
  small?: readonly string[]
  search: readonly string[]
  filters: readonly (N | Filter<N>)[]
  /** `'*'`: every stored readable field. */
  ordering: readonly string[] | '*'
  /** Leading `-` descends. */
  defaultOrder: readonly string[]
  /**
   * What `suggestions/` answers to people who may not read the list, and by which filters they may
   * narrow it.
   */
  suggestions?: { fields: readonly string[]; filters: readonly string[] }
  /** Columns of import templates where the rule (every writable field) does not fit. */
  importColumns?: readonly string[]
  /** Columns of exports where the rule (every readable field without org_id) does not fit. */
  exportColumns?: readonly string[]
  /** Whether the server refuses calls while no license is valid. */
  needsLicense?: boolean
  /**
   * Whether its rows decide who may do what, or who judges it: changes of them can be previewed
   * (`?preview=true`).
   */
  bearsRights?: boolean
}

/**
 * Names must be fields. That is checked where a resource is defined and not part of its type, so
 * that every definition fits the general type.
 */
type Named<F, L> = {
  filters: readonly ((keyof F & string) | Filter)[] & L
  mini?: readonly (keyof F & string)[]
  small?: readonly (keyof F & string)[]
  suggestions?: { fields: readonly (keyof F & string)[] }
}

/** Returns its argument with literal types: names of fields, filters and choices. */
export function defineResource<const F extends Fields, const L extends ResourceDefinition['filters']>(
  definition: ResourceDefinition<F, NameIn<L>> & Named<F, L>,
): ResourceDefinition<F, NameIn<L>> {
  return definition
}

type NameIn<L extends ResourceDefinition['filters']> = L[number] extends infer One
  ? One extends Filter<infer N>
    ? N
    : One & string
  : never
/** The names of a resource's filters. */
export type FilterName<D extends ResourceDefinition> = NameIn<D['filters']>

/** Value of a field. */
export type ValueOf<F extends Field> = F['type'] extends 'integer' | 'float'
  ? number
  : F['type'] extends 'boolean'
    ? boolean
    : F['type'] extends 'choice'
      ? F extends { integer: true }
        ? number
        : F extends { choices: infer C }
          ? keyof C & string
          : string
      : F['type'] extends 'multichoice'
        ? F extends { choices: infer C }
          ? (keyof C & string)[]
          : string[]
        : F['type'] extends 'strings' | 'refs'
          ? string[]
          : F['type'] extends 'object'
            ? Record<string, unknown>
            : F['type'] extends 'list'
              ? Record<string, unknown>[]
              : string

type Nullable<F extends Field, V> = F extends { nullable: true } ? V | null : V
type FieldsOf<D> = D extends ResourceDefinition<infer F> ? F : never

/**
 * The API's answer for one row. With an object that has shapes, a union with one type for each,
 * discriminated by the field that decides.
 */
export type Row<D extends ResourceDefinition> = [ShapedName<FieldsOf<D>>] extends [never]
  ? Answered<FieldsOf<D>>
  : AnsweredByShape<FieldsOf<D>, ShapedName<FieldsOf<D>>>

/**
 * The API's input on create: everything writable, of which `required` fields must be present.
 */
export type Draft<D extends ResourceDefinition> = [ShapedName<FieldsOf<D>>] extends [never]
  ? Taken<FieldsOf<D>>
  : TakenByShape<FieldsOf<D>, ShapedName<FieldsOf<D>>>

type Answered<F extends Fields> = {
  [K in keyof F as F[K] extends { writeOnly: true } ? never : K]: Nullable<F[K], ValueOf<F[K]>>
}

type Taken<F extends Fields> = {
  [K in keyof F as F[K] extends { required: true } ? K : never]: Nullable<F[K], ValueOf<F[K]>>
} & {
  [K in keyof F as F[K] extends { readOnly: true } | { required: true } ? never : K]?: Nullable<F[K], ValueOf<F[K]>>
}

type ShapedName<F extends Fields> = { [K in keyof F]: F[K] extends { shapes: object } ? K : never }[keyof F]

/** The names of shapes, and the choices without one. */
type ShapeNames<F extends Fields, N extends keyof F> = F[N] extends {
  shapeBy: infer B extends keyof F
  shapes: infer S
}
  ? { by: B; shapes: S; none: Exclude<ValueOf<F[B]>, keyof S> }
  : never

type AnsweredByShape<F extends Fields, N extends keyof F> =
  ShapeNames<F, N> extends {
    by: infer B extends keyof F
    shapes: infer S extends Readonly<Record<string, Fields>>
    none: infer O
  }
    ? Omit<Answered<F>, N | B> &
        (
          | { [K in keyof S]: { [P in B]: K } & { [P in N]: Answered<S[K]> } }[keyof S]
          | ([O] extends [never] ? never : { [P in B]: O } & { [P in N]: Record<string, never> })
        )
    : never

type TakenByShape<F extends Fields, N extends keyof F> =
  ShapeNames<F, N> extends {
    by: infer B extends keyof F
    shapes: infer S extends Readonly<Record<string, Fields>>
    none: infer O
  }
    ? Omit<Taken<F>, N | B> &
        (
          | { [K in keyof S]: { [P in B]: K } & { [P in N]: Taken<S[K]> } }[keyof S]
          | ([O] extends [never] ? never : { [P in B]: O } & { [P in N]?: Record<string, never> })
        )
    : never

/** Fills the placeholders of `display` from a row. */
export function displayOf(
  definition: Pick<ResourceDefinition, 'display'>,
  row: Readonly<Record<string, unknown>>,
): string {
  return definition.display.replace(/\{(\w+)\}/g, (_, name: string) => String(row[name] ?? ''))
}
