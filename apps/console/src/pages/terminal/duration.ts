import type { Session } from '@sallyport/contract/resources/terminal/session.ts'
import { formatDuration, parseDate } from '../../lib/format.ts'

/** From start to end in the largest fitting unit; blank while it runs. */
export function durationOf({ date_start, date_end }: Pick<Session, 'date_start' | 'date_end'>): string {
  const [from, to] = [parseDate(date_start), parseDate(date_end)]
  return from && to ? formatDuration((to.getTime() - from.getTime()) / 1000) : ''
}
