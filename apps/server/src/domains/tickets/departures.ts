import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { onMembershipEnded } from '../orgs/index.ts'
import { systemAdministrators } from './approvers.ts'
import { withdraw } from './confirmation.ts'
import { notifyApprovers } from './notices.ts'
import { processStep, ticketsAssignee, ticketsFlow, ticketsFlowAssignee, ticketsTicket } from './tables.ts'

/** Requests wait for days, unlike confirmations: people leave meanwhile. */
const REQUESTS = inArray(ticketsTicket.type, ['general', 'apply_asset', 'apply_application'])

/** Requests settled in one round; the rest waits for the next. */
const AT_ONCE = 500

/**
 * What becomes of tickets and flows when people leave. With their membership they stop deciding in
 * the organization. Within minutes, requests of people who left are withdrawn, and levels that
 * nobody can decide any more fall to the system administrators.
 */
export function followDepartures(kernel: Kernel): void {
  onMembershipEnded({
    label: 'Ticket flow',
    links: ticketsFlowAssignee,
    person: ticketsFlowAssignee.user_id,
    thing: ticketsFlowAssignee.flow_id,
    orgId: ticketsFlow.org_id,
  })
  onMembershipEnded({
    label: 'Ticket',
    links: ticketsAssignee,
    person: ticketsAssignee.user_id,
    thing: ticketsAssignee.ticket_id,
    orgId: ticketsTicket.org_id,
  })
  kernel.jobs.schedule(
    {
      name: 'tickets.follow_people',
      cron: '*/5 * * * *',
      title: 'Settle tickets of people who left',
      isEssential: true,
    },
    () => settleAfterDepartures(kernel),
  )
}

/** One round over all open requests. */
export async function settleAfterDepartures(kernel: Kernel): Promise<void> {
  await withdraw(
    kernel,
    and(
      REQUESTS,
      sql`NOT EXISTS (SELECT 1 FROM orgs_membership m WHERE m.user_id = ${ticketsTicket.applicant} AND m.org_id = ${ticketsTicket.org_id})`,
    ),
    'applicant',
  )
  const handedOver = await kernel.db.transaction(async (db) => {
    const orphans = await db
      .select()
      .from(ticketsTicket)
      .where(and(eq(ticketsTicket.status, 'open'), REQUESTS, NOBODY_LEFT))
      .limit(AT_ONCE)
      .for('update')
    const done: (typeof orphans)[number][] = []
    for (const ticket of orphans) done.push(await handOver(db, ticket))
    return done
  })
  for (const ticket of handedOver) notifyApprovers(kernel, ticket)
}

const NOBODY_LEFT = sql`NOT EXISTS (
  SELECT 1 FROM tickets_assignee a JOIN users_person u ON u.id = a.user_id
  WHERE a.ticket_id = ${ticketsTicket.id} AND a.level = ${ticketsTicket.approval_step} AND u.is_valid)`

async function handOver(
  db: Database,
  ticket: typeof ticketsTicket.$inferSelect,
): Promise<typeof ticketsTicket.$inferSelect> {
  const people = await systemAdministrators(db)
  const { id, approval_step: level } = ticket
  const process_map = ticket.process_map.map((step) =>
    step.approval_level === level ? processStep(level, people) : step,
  )
  await db.update(ticketsTicket).set({ process_map }).where(eq(ticketsTicket.id, id))
  if (people.length)
    await db
      .insert(ticketsAssignee)
      .values(people.map((person) => ({ ticket_id: id, level, user_id: person.id })))
      .onConflictDoNothing()
  return { ...ticket, process_map }
}
