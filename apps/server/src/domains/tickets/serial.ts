import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { ticketsSerial } from './tables.ts'

const DIGITS = 4

/**
 * The day and a counter that restarts daily. The day's row stays locked until the ticket is stored,
 * so no number is used twice.
 */
export async function nextSerial(db: Database): Promise<string> {
  const [row] = await db
    .insert(ticketsSerial)
    .values({ day: sql`current_date`, last: 1 })
    .onConflictDoUpdate({ target: ticketsSerial.day, set: { last: sql`${ticketsSerial.last} + 1` } })
    .returning({ day: sql<string>`to_char(${ticketsSerial.day}, 'YYYYMMDD')`, last: ticketsSerial.last })
  if (!row) throw new Error('no serial number')
  return row.day + String(row.last).padStart(DIGITS, '0')
}
