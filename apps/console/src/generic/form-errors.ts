/** Reads a 400's body: messages by field, and those that belong to no field of the form (spec A5.29 B5.09). */
export interface FormErrors {
  /** Field name → texts joined by a semicolon. */
  fields: Record<string, string>
  /** Shown as message: keys without a field on the form. */
  others: string[]
}

/** Nested objects and index-aligned lists are written out under the field they belong to. */
export function formErrors(body: Readonly<Record<string, unknown>>, names: readonly string[]): FormErrors {
  const errors: FormErrors = { fields: {}, others: [] }
  for (const [name, value] of Object.entries(body)) {
    const text = [...new Set(texts(value))].join('; ')
    if (text === '') continue
    if (names.includes(name)) errors.fields[name] = text
    else errors.others.push(name === 'non_field_errors' ? text : `${name}: ${text}`)
  }
  return errors
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (Array.isArray(value)) return value.flatMap(texts)
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => texts(inner).map((text) => (/^\d+$/.test(key) ? text : `${key}: ${text}`)))
  return []
}
