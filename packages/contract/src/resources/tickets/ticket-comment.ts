import { defineResource, type Row } from '../../define.ts'

/**
 * What people and the server noted about a ticket, oldest first
 * (docs/rules/tickets.md#ticket_comment).
 */
export const ticketComment = defineResource({
  name: 'ticket_comment',
  path: '/api/v1/tickets/comments/',
  label: 'Ticket comment',
  scope: 'self',
  operations: ['list', 'create', 'retrieve'],
  permission: { list: ['authenticated'], write: ['authenticated'] },
  display: '{body}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    body: { type: 'text', label: 'Body', required: true, maxLength: 10_000 },
    user_display: { type: 'string', label: 'User display name', named: true, readOnly: true, maxLength: 256 },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    ticket: { type: 'ref', label: 'Ticket', to: 'ticket', readOnly: true },
    user: { type: 'ref', label: 'User', to: 'user', readOnly: true, nullable: true },
  },
  search: [],
  filters: [{ name: 'ticket_id', match: 'custom', type: 'string', label: 'Ticket', hidden: true }],
  ordering: ['date_created'],
  defaultOrder: ['date_created'],
})
export type TicketComment = Row<typeof ticketComment>
