import { formatDate, formatRelative, parseDate } from '../../lib/format.ts'
import { useTick } from '../../lib/hooks/use-tick.ts'

/** A moment as people say it, with the exact one beside it; nothing for no date. */
export function Moment({ value }: { value: unknown }) {
  const date = parseDate(value)
  useTick(date ? Date.now() - date.getTime() : Number.POSITIVE_INFINITY)
  if (!date) return null
  const [relative, exact] = [formatRelative(value), formatDate(value)]
  return (
    <time dateTime={date.toISOString()}>
      {relative}
      {relative !== exact && <span className="exact">{exact}</span>}
    </time>
  )
}
