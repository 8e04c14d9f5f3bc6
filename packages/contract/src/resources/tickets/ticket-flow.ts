import { type Draft, defineResource, type Row } from '../../define.ts'
import { DECIDERS } from '../users/deciders.ts'
import { APPROVAL_LEVELS, TICKET_TYPES } from './ticket-types.ts'

/**
 * Approvers of tickets of a type, at one level or two (docs/rules/tickets.md#ticket_flow).
 * Flows of the root organization apply in every organization that has none of its own for the type;
 * changing one there makes a flow of the organization's own.
 */
export const ticketFlow = defineResource({
  name: 'ticket_flow',
  path: '/api/v1/tickets/flows/',
  label: 'Ticket flow',
  scope: 'org',
  operations: ['list', 'create', 'retrieve', 'update', 'partial_update'],
  permission: { list: ['org_auditor'], write: ['super_admin'] },
  needsLicense: true,
  display: '{type}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    type: { type: 'choice', label: 'Type', choices: TICKET_TYPES, required: true, unique: 'org' },
    type_display: { type: 'string', label: 'Type name', readOnly: true },
    approval_level: {
      type: 'choice',
      label: 'Approval levels',
      choices: APPROVAL_LEVELS,
      integer: true,
      required: true,
    },
    created_by: { type: 'string', label: 'Created by', readOnly: true, nullable: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
    rules: {
      type: 'list',
      label: 'Approval rules',
      required: true,
      minItems: 1,
      maxItems: 2,
      fields: {
        level: { type: 'choice', label: 'Level', choices: APPROVAL_LEVELS, integer: true, readOnly: true },
        strategy: {
          type: 'choice',
          label: 'Approvers',
          choices: {
            super_admin: 'Super admin',
            org_admin: 'Org admin',
            super_org_admin: 'Super admin and org admin',
            custom_user: 'Custom user',
          },
          required: true,
        },
        /** The chosen people of strategy `custom_user`; empty for the others. */
        assignees_read_only: { type: 'refs', label: 'Assignees', to: 'user', readOnly: true },
        /** Whom the strategy means in the current organization. */
        assignees_display: { type: 'strings', label: 'Assignee names', readOnly: true },
        strategy_display: { type: 'string', label: 'Approvers, in words', readOnly: true },
        assignees: { type: 'refs', label: 'Assignees', ...DECIDERS, writeOnly: true, maxItems: 100 },
      },
    },
  },
  mini: ['id', 'type'],
  search: ['id', 'type'],
  filters: [{ name: 'id', hidden: true }, 'type'],
  ordering: [],
  defaultOrder: ['date_created'],
})
export type TicketFlow = Row<typeof ticketFlow>
export type TicketFlowDraft = Draft<typeof ticketFlow>
