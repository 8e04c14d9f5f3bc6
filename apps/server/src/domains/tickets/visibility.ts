import { type SQL, sql } from 'drizzle-orm'
import type { Call } from '../../kernel/access/call.ts'
import { NOTHING } from '../../kernel/resource/conditions.ts'
import { ticketsTicket } from './tables.ts'

/** Tickets of which somebody decides, or decided, a level that was reached. */
export const assignedTo = (user: string): SQL =>
  sql`EXISTS (SELECT 1 FROM tickets_assignee a WHERE a.ticket_id = ${ticketsTicket.id} AND a.user_id = ${user})`

/**
 * Tickets that the caller applied for or decides, across all organizations
 * (docs/rules/tickets.md#ticket).
 */
export const concerns = ({ user }: Call): SQL =>
  user ? sql`(${ticketsTicket.applicant} = ${user.id} OR ${assignedTo(user.id)})` : NOTHING
