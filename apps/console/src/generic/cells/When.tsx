import { formatDate, formatRelative, parseDate } from '../../lib/format.ts'

/** How long ago, within a week; the moment itself under the pointer. Nothing for no date. */
export function When({ value }: { value: unknown }) {
  const date = parseDate(value)
  if (!date) return null
  return (
    <time dateTime={date.toISOString()} title={formatDate(value)}>
      {formatRelative(value)}
    </time>
  )
}
