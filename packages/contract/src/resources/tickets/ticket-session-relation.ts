import { type Draft, defineResource } from '../../define.ts'

/**
 * Which session a confirmed ticket let in; components report it
 * (docs/rules/tickets.md#ticket_session_relation).
 */
export const ticketSessionRelation = defineResource({
  name: 'ticket_session_relation',
  path: '/api/v1/tickets/ticket-session-relation/',
  label: 'Ticket session',
  scope: 'global',
  operations: ['create'],
  permission: { list: [], write: ['component', 'org_admin'] },
  display: '{ticket}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    // Not references of the engine: a component may report tickets that it can't list.
    ticket: { type: 'uuid', label: 'Ticket', required: true },
    session: { type: 'uuid', label: 'Session', required: true },
  },
  search: [],
  filters: [],
  ordering: [],
  defaultOrder: [],
})
export type TicketSessionRelationDraft = Draft<typeof ticketSessionRelation>
