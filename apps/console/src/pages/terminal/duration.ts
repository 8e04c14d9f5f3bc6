import type { Session } from '@sallyport/contract/resources/terminal/session.ts'
import { formatDuration, parseDate } from '../../lib/format.ts'

/** From start to end, or to now while it runs. */
export function durationOf({ date_start, date_end }: Pick<Session, 'date_start' | 'date_end'>): string {
  const from = parseDate(date_start)
  const to = parseDate(date_end) ?? new Date()
  return from ? formatDuration((to.getTime() - from.getTime()) / 1000) : ''
}
