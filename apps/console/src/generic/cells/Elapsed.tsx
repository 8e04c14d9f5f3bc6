import { formatDuration, parseDate } from '../../lib/format.ts'
import { useTick } from '../../lib/hooks/use-tick.ts'

/** How long something has been going on since a moment, while one looks. */
export function Elapsed({ since }: { since: unknown }) {
  const from = parseDate(since)?.getTime()
  const ms = from === undefined ? Number.POSITIVE_INFINITY : Math.max(0, Date.now() - from)
  useTick(ms)
  return from === undefined ? null : formatDuration(Math.floor(ms / 1000))
}
