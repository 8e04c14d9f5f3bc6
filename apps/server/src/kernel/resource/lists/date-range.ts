import { gte, lte, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { unreadable } from '../conditions.ts'
import { parseDateTime } from '../datetime.ts'
import type { ReadContext } from '../mount.ts'

/**
 * Filters `date_from` and `date_to` on a column, both inclusive; a time without an offset is in the
 * client's zone. Throws 400 for what is no date: it would show everything.
 */
export function dateRange(
  column: PgColumn,
): Record<'date_from' | 'date_to', (value: string, context: ReadContext) => SQL> {
  const at = (name: string, value: string, { call }: ReadContext) => {
    const date = parseDateTime(value, call.timeZone)
    if (!date) throw unreadable(name)
    return date
  }
  return {
    date_from: (value, context) => gte(column, at('date_from', value, context)),
    date_to: (value, context) => lte(column, at('date_to', value, context)),
  }
}
