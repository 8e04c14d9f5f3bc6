import { type SQL, sql } from 'drizzle-orm'
import { auditsForwarding, auditsOutbox } from '../tables.ts'

/** Nothing waits for a system that is off. */
const waiting = sql`FROM ${auditsOutbox} WHERE target IN (SELECT target FROM ${auditsForwarding} WHERE is_on)`

/** Figures for the system monitor, counted once a minute. */
export const forwardingFigures = {
  events_waiting: sql`(SELECT count(*) ${waiting})`,
  events_oldest: sql`(SELECT extract(epoch FROM now() - min(date_created)) ${waiting})`,
  events_dropped: sql`(SELECT sum(dropped) FROM ${auditsForwarding})`,
} satisfies Record<string, SQL>
