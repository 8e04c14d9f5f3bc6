import { gte, lte, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { parseDateTime } from './datetime.ts'
import type { ReadContext } from './mount.ts'

/**
 * Filters `date_from` and `date_to` on a column, both inclusive; a time without an offset is in the
 * client's zone. Malformed dates are ignored, since existing clients send what a broken date picker
 * left (contract/terminal.yaml session filters).
 */
export function dateRange(
  column: PgColumn,
): Record<'date_from' | 'date_to', (value: string, context: ReadContext) => SQL | undefined> {
  const at = (value: string, { call }: ReadContext) => parseDateTime(value, call.timeZone)
  return {
    date_from: (value, context) => {
      const date = at(value, context)
      return date && gte(column, date)
    },
    date_to: (value, context) => {
      const date = at(value, context)
      return date && lte(column, date)
    },
  }
}
