import { formatDate, formatRelative, parseDate } from '../../lib/format.ts'
import { useTick } from '../../lib/hooks/use-tick.ts'

/**
 * How long ago, within a week, and still true while the list stays open; the moment itself under the
 * pointer. Nothing for no date.
 */
export function When({ value }: { value: unknown }) {
  const date = parseDate(value)
  useTick(date ? Date.now() - date.getTime() : Number.POSITIVE_INFINITY)
  if (!date) return null
  return (
    <time dateTime={date.toISOString()} title={formatDate(value)}>
      {formatRelative(value)}
    </time>
  )
}
