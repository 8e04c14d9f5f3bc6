/** Values as text in a cell that a person may type in, and back. */

/** Lists of plain words are written with commas, as in a spreadsheet; what is deeper as JSON. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (
    Array.isArray(value) &&
    value.every((item) => typeof item === 'string' && item !== '' && !/[,，;；\n"[\]]/.test(item))
  )
    return value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * Reads the text that a person typed over a value: it stays a list or an object where it was one
 * (docs/rules/lists-and-forms.md#cell_formatters).
 */
export function typedValue(text: string, before: unknown): unknown {
  const typed = text.trim()
  if (typeof before !== 'object' || before === null) return typed
  if (/^[[{]/.test(typed)) {
    try {
      return JSON.parse(typed) as unknown
    } catch {
      return typed
    }
  }
  if (!Array.isArray(before)) return typed
  return typed
    .split(/[,，;；\n]/)
    .map((part) => part.trim())
    .filter(Boolean)
}
