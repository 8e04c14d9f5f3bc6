/** Joins a page's form with the server's metadata; no requests and no drawing here. */
import type { Row } from '../../lib/api.ts'
import type { FormContext, FormFieldView, FormGroup, FormValues, FormView } from './form-view.ts'
import { kindOf, type RemoteField } from './metadata.ts'

/** What forms know of a field beside what the server says. */
interface DefinedFacts {
  /** JavaScript regular expression of the definition. */
  pattern?: string
  /** A secret that the row does not have yet, although it exists. */
  unstored?: boolean
}
/** A field inside an object. */
export type ChildField = RemoteField & DefinedFacts & Pick<FormFieldView, 'initial' | 'from' | 'placeholder' | 'help'>
export type FormField = FormFieldView &
  Omit<RemoteField, 'children'> &
  DefinedFacts & { children?: Record<string, ChildField> }

export interface FormFields extends Omit<FormGroup, 'fields'> {
  fields: FormField[]
}

/**
 * The server has the last word on existence and writability: a field that it does not offer is left
 * out, and a group that ends up empty goes with it. Fields that the page declares as its own
 * (`local`) stay.
 */
export function formGroups(view: FormView, remote: Readonly<Record<string, RemoteField>>): FormFields[] {
  return view.groups
    .map((group) => ({
      ...group,
      fields: group.fields.flatMap((entry): FormField[] => {
        const own: FormFieldView = typeof entry === 'string' ? { name: entry } : entry
        const field = remote[own.name] ?? (own.local ? { label: own.name, ...own.local } : undefined)
        if (!field || (field.read_only && !own.local)) return []
        const { label, required, choices, ...rest } = own
        return [
          {
            ...field,
            ...rest,
            label: label ?? field.label,
            ...(choices ? { choices: [...choices] } : {}),
            ...(own.inside && !field.shape_by ? { children: withOwn(field.children, own.inside) } : {}),
            ...(required === undefined ? {} : { required }),
          } as FormField,
        ]
      }),
    }))
    .filter(({ fields }) => fields.length > 0)
}

/** The fields of an object, with what the page says about them. */
const withOwn = (children: RemoteField['children'] = {}, inside: NonNullable<FormFieldView['inside']>) =>
  Object.fromEntries(Object.entries(children).map(([name, child]) => [name, { ...child, ...inside[name] }]))

/** Which widget edits a field: by name first, then by what it holds (A5.20 to A5.26). */
export function widgetName(field: FormField): string {
  if (typeof field.widget === 'string') return field.widget
  if (field.name === 'password') return 'password'
  if (field.name === 'comment') return 'textarea'
  switch (kindOf(field)) {
    case 'boolean':
      return 'switch'
    case 'integer':
    case 'float':
      return 'number'
    case 'datetime':
      return 'datetime'
    case 'choice':
      return (field.choices?.length ?? 0) > 4 ? 'select' : 'radio'
    case 'multichoice':
      return 'multiselect'
    case 'ref':
      return 'reference'
    case 'refs':
      return 'references'
    case 'strings':
      // Whole names and addresses of rules are one text with commas
      // (docs/rules/acls.md#ip_group_syntax).
      return field.name.endsWith('_group') ? 'ip-group' : 'strings'
    case 'object':
      return field.shape_by || childFields(field).length > 0 ? 'nested' : 'json'
    case 'list':
      if (field.name === 'time_period') return 'week-time'
      return childFields(field).length > 0 ? 'items' : 'json'
    case 'email':
    case 'url':
      return 'text'
    default:
      if (field.write_only) return 'password'
      return field.max_length === undefined && field.name !== 'email' ? 'textarea' : 'text'
  }
}

/** The fields inside an object, as they are edited (spec console-shell "nested"). */
export function childFields({ children = {} }: FormField): FormField[] {
  return Object.entries(children).flatMap(([name, child]) => (child.read_only ? [] : [{ ...child, name }]))
}

/** Values a new form starts with: the page's own, else the metadata's defaults (A5.26). */
export function initialValues(fields: readonly FormField[], context: FormContext): FormValues {
  const values: FormValues = {}
  for (const { name, initial, default: given } of fields) {
    const value =
      typeof initial === 'function' ? (initial as (context: FormContext) => unknown)(context) : (initial ?? given)
    if (value !== undefined) values[name] = value
  }
  return values
}

const CLONE_PREFIXED = ['name', 'hostname']

/**
 * A row as form values. A copy gets a prefix before its name; secrets are never in a row, ids and
 * read-only fields not in the form (A2.93).
 */
export function rowValues(row: Row, fields: readonly FormField[], clonePrefix?: string): FormValues {
  const values: FormValues = {}
  for (const field of fields) {
    const value = row[field.name]
    if (value === undefined || (clonePrefix !== undefined && isSecret(field))) continue
    if (clonePrefix !== undefined && CLONE_PREFIXED.includes(field.name))
      values[field.name] = `${clonePrefix} ${String(value)}`
    else values[field.name] = kindOf(field) === 'ref' || kindOf(field) === 'refs' ? bareReference(value) : value
  }
  return values
}

/** Lists answer references as ids or as `{id, name}`; forms send ids. */
function bareReference(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bareReference)
  return typeof value === 'object' && value !== null && 'id' in value ? value.id : value
}

/** Whether a field is shown for these values. */
export function isVisible(field: FormField, values: FormValues, context: FormContext): boolean {
  return field.visibleWhen?.(values, context) !== false
}

/**
 * Whether a field must be filled for these values. A write-only secret that is already stored may
 * stay empty.
 */
export function isRequired(field: FormField, values: FormValues, context: FormContext): boolean {
  const required: unknown = field.required
  if (typeof required === 'function')
    return (required as (values: FormValues, context: FormContext) => boolean)(values, context)
  return required === true && !(field.write_only && context.mode === 'update' && !field.unstored)
}

const SECRET_WIDGETS = new Set(['password', 'password-rules', 'token', 'key-file'])

/** Whether a value is never trimmed and, left empty, not sent. */
export function isSecret(field: FormField): boolean {
  return field.write_only === true || SECRET_WIDGETS.has(widgetName(field))
}

/**
 * The values as sent: hidden fields left out (or, where `loaded` is given, as they were loaded), outer
 * blank space off single- and multi-line text (never off secrets), empty secrets left out, an empty
 * choice, number, date or reference as null, an empty list as list.
 */
export function bodyOf(
  fields: readonly FormField[],
  values: FormValues,
  context: FormContext,
  loaded?: FormValues,
): FormValues {
  const body: FormValues = {}
  for (const field of fields) {
    if (field.widget === 'link') continue
    if (!isVisible(field, values, context) && !field.keepHidden) {
      const stored = field.local || isSecret(field) ? undefined : loaded?.[field.name]
      if (stored !== undefined) body[field.name] = stored
      continue
    }
    const value = values[field.name]
    if (widgetName(field) === 'nested') {
      body[field.name] = bodyOf(childFields(field), (value ?? {}) as FormValues, context)
      continue
    }
    if (widgetName(field) === 'items') {
      const items = (value ?? []) as readonly FormValues[]
      body[field.name] = items.map((item) => bodyOf(childFields(field), item, context))
      continue
    }
    const secret = isSecret(field)
    if (secret && (value === undefined || value === '' || value === null)) continue
    if (typeof value === 'string') body[field.name] = secret || widgetName(field) === 'code' ? value : value.trim()
    else if (value === undefined) body[field.name] = emptyValue(field)
    else body[field.name] = value
    if (body[field.name] === undefined) delete body[field.name]
  }
  return body
}

function emptyValue(field: FormField): unknown {
  const kind = kindOf(field)
  if (kind === 'refs' || kind === 'strings' || kind === 'list' || kind === 'multichoice') return []
  if (kind === 'boolean') return false
  return field.nullable ? null : undefined
}
