/**
 * Failed rows as a CSV that the import reads again: mend it in a spreadsheet program, drop it in.
 */
import type { ImportRow } from './import-task.ts'

/**
 * `columns` are [title, field] as the preview names them; `reason` heads the last column, which an
 * import does not know and skips.
 */
export function failedRowsFile(
  columns: readonly (readonly [string, string])[],
  rows: readonly ImportRow[],
  reason: string,
): string {
  const titles = columns.map(([title, field]) =>
    columns.some(([other, of]) => other === title && of !== field) ? field : title,
  )
  const lines = rows
    .filter(({ status }) => status === 'error')
    .map(({ values, errors }) => [
      ...columns.map(([, field]) => textOf(values[field])),
      Object.values(errors).join('; '),
    ])
  // The byte order mark tells spreadsheet programs that this is UTF-8.
  return `\uFEFF${[[...titles, reason], ...lines].map((cells) => cells.map(quoted).join(',')).join('\r\n')}\r\n`
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * Text that a spreadsheet program would take for a formula gets the quote that the server takes off
 * again.
 */
function quoted(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}
