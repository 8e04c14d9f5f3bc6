import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import type { TicketType } from '@sallyport/contract/resources/tickets/ticket-types.ts'
import { bigint, date, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { type CallUser, displayName } from '../../kernel/access/call.ts'
import { createdBy, dateCreated, dateUpdated, id, orgId } from '../../kernel/database/columns.ts'
import type { CardChannel } from '../notifications/index.ts'
import type { Withdrawal } from './withdrawal.ts'

/** Where people decide: in the console, by the API, or by a card in a messenger. */
export type DecisionPlace = 'console' | 'api' | CardChannel

/** One level of approval as it is answered (docs/rules/tickets.md#process_map). */
export interface ProcessStep {
  approval_level: number
  state: 'notified' | 'approved' | 'rejected' | 'closed'
  assignees: string[]
  assignees_display: string[]
  /** ISO 8601; empty until decided. */
  approval_date: string
  processor: string
  processor_display: string
  /** The place of the decision; absent until then, and where the server closed it. */
  decided_in?: DecisionPlace
  /** Why the server closed it; absent where a person did. */
  withdrawn?: Withdrawal
}

/** A level that nobody has decided yet. */
export function processStep(level: number, people: readonly Pick<CallUser, 'id' | 'name' | 'username'>[]): ProcessStep {
  return {
    approval_level: level,
    state: 'notified',
    assignees: people.map(({ id }) => id),
    assignees_display: people.map(displayName),
    approval_date: '',
    processor: '',
    processor_display: '',
  }
}

export const ticketsTicket = pgTable('tickets_ticket', {
  id: id(),
  title: text('title').notNull(),
  type: text('type').$type<TicketType>().notNull(),
  /** The request, which never changes. */
  meta: jsonb('meta').$type<Record<string, unknown>>().notNull().default({}),
  /** What those who decide have made of it; null as long as they have not. */
  amended: jsonb('amended').$type<Record<string, unknown>>(),
  state: text('state').$type<Ticket['state']>().notNull().default('open'),
  status: text('status').$type<Ticket['status']>().notNull().default('open'),
  approval_step: integer('approval_step').notNull().default(1),
  applicant: uuid('applicant'),
  applicant_display: text('applicant_display').notNull(),
  process_map: jsonb('process_map').$type<ProcessStep[]>().notNull().default([]),
  comment: text('comment').notNull().default(''),
  org_id: orgId(),
  serial_num: text('serial_num').notNull(),
  /** IANA zone of the dates in `meta`, which have none; empty where there are no dates. */
  time_zone: text('time_zone').notNull().default(''),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

export const ticketsAssignee = pgTable('tickets_assignee', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  ticket_id: uuid('ticket_id').notNull(),
  level: integer('level').notNull(),
  user_id: uuid('user_id').notNull(),
})

export const ticketsComment = pgTable('tickets_comment', {
  id: id(),
  ticket: uuid('ticket').notNull(),
  user: uuid('user'),
  user_display: text('user_display').notNull(),
  body: text('body').notNull().default(''),
  /**
   * The event that the server recorded by itself: `open`, a verdict, or why it closed the ticket.
   */
  action: text('action').$type<'open' | 'amended' | 'approved' | 'rejected' | 'closed' | Withdrawal>(),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

export const ticketsFlow = pgTable('tickets_flow', {
  id: id(),
  org_id: orgId(),
  type: text('type').$type<TicketType>().notNull(),
  approval_level: integer('approval_level').notNull(),
  created_by: createdBy(),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

export type Strategy = 'super_admin' | 'org_admin' | 'super_org_admin' | 'custom_user'

export const ticketsFlowRule = pgTable(
  'tickets_flow_rule',
  {
    flow_id: uuid('flow_id').notNull(),
    level: integer('level').notNull(),
    strategy: text('strategy').$type<Strategy>().notNull(),
  },
  ({ flow_id, level }) => [primaryKey({ columns: [flow_id, level] })],
)

export const ticketsFlowAssignee = pgTable('tickets_flow_assignee', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  flow_id: uuid('flow_id').notNull(),
  level: integer('level').notNull(),
  user_id: uuid('user_id').notNull(),
})

export const ticketsSessionRelation = pgTable('tickets_session_relation', {
  id: id(),
  ticket: uuid('ticket').notNull(),
  session: uuid('session').notNull(),
  date_created: dateCreated(),
})

export const ticketsSerial = pgTable('tickets_serial', {
  day: date('day').primaryKey(),
  last: integer('last').notNull(),
})
