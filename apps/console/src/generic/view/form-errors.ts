/**
 * Reads a 400's body: messages by field, and those that belong to no field of the form (A5.29
 * B5.09).
 */
export interface FormErrors {
  /**
   * Texts joined by a semicolon, with the way to their field: `['name']`, `['meta', 'port']`,
   * `['rules', 1, 'assignees']`.
   */
  fields: { path: (string | number)[]; text: string }[]
  /** Shown as message: keys without a field on the form. */
  others: string[]
}

/**
 * The fields of a form by name; those with fields inside have `children`, lists of such `items`,
 * the fields of each.
 */
export interface ErrorField {
  name: string
  label?: string
  children?: readonly ErrorField[]
  items?: readonly ErrorField[]
}

/**
 * Nested keys go under nested fields, by their place in a list; other nested objects and
 * index-aligned lists are written out under the field they belong to.
 */
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
    const items = field?.items
    const places = items && byPlace(value)
    if (places) {
      for (const [at, item] of places) {
        const inner = formErrors(item, items)
        errors.fields.push(...inner.fields.map(({ path, text }) => ({ path: [name, at, ...path], text })))
        errors.others.push(...inner.others.map((text) => `${field.label ?? name}: ${text}`))
      }
      continue
    }
    const text = [...new Set(texts(value))].join('; ')
    if (text === '') continue
    if (field && !field.children && (!items || isPlain(value))) errors.fields.push({ path: [name], text })
    else errors.others.push(name === 'non_field_errors' ? text : `${field?.label ?? name}: ${text}`)
  }
  return errors
}

/**
 * Messages of the items of a list, by their place: an index-aligned list, or an object of the
 * places that are wrong.
 */
function byPlace(value: unknown): [at: number, item: Record<string, unknown>][] | undefined {
  const entries = Array.isArray(value) || isObject(value) ? Object.entries(value) : []
  const items = entries.flatMap(([key, item]) =>
    /^\d+$/.test(key) && isObject(item) ? [[Number(key), item] as [number, typeof item]] : [],
  )
  return items.length > 0 && items.length === entries.length ? items : undefined
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (Array.isArray(value)) return value.flatMap(texts)
  if (isObject(value))
    return Object.entries(value).flatMap(([key, inner]) =>
      texts(inner).map((text) => (/^\d+$/.test(key) ? text : `${key}: ${text}`)),
    )
  return []
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether it is about a list as a whole. */
const isPlain = (value: unknown): boolean =>
  typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string'))
