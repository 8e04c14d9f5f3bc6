/** Reads a 400's body: messages by field, and those that belong to no field of the form (spec A5.29 B5.09). */
export interface FormErrors {
  /** Texts joined by a semicolon, with the way to their field: `['name']`, `['meta', 'port']`. */
  fields: { path: string[]; text: string }[]
  /** Shown as message: keys without a field on the form. */
  others: string[]
}

/** The fields of a form by name; those with fields inside have `children`. */
export interface ErrorField {
  name: string
  label?: string
  children?: readonly ErrorField[]
}

/** Nested keys go under nested fields; other nested objects and index-aligned lists are written out under the field they belong to. */
export function formErrors(body: Readonly<Record<string, unknown>>, shown: readonly ErrorField[]): FormErrors {
  const errors: FormErrors = { fields: [], others: [] }
  for (const [name, value] of Object.entries(body)) {
    const field = shown.find((one) => one.name === name)
    if (field?.children && isObject(value)) {
      const inner = formErrors(value, field.children)
      errors.fields.push(...inner.fields.map(({ path, text }) => ({ path: [name, ...path], text })))
      errors.others.push(...inner.others.map((text) => `${field.label ?? name}: ${text}`))
      continue
    }
    const text = [...new Set(texts(value))].join('; ')
    if (text === '') continue
    if (field && !field.children) errors.fields.push({ path: [name], text })
    else errors.others.push(name === 'non_field_errors' ? text : `${field?.label ?? name}: ${text}`)
  }
  return errors
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (Array.isArray(value)) return value.flatMap(texts)
  if (isObject(value))
    return Object.entries(value).flatMap(([key, inner]) => texts(inner).map((text) => (/^\d+$/.test(key) ? text : `${key}: ${text}`)))
  return []
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
