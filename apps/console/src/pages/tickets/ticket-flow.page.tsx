import { PERMISSION } from '@sallyport/contract/access.ts'
import { type TicketFlow, ticketFlow } from '@sallyport/contract/resources/tickets/ticket-flow.ts'
import { linkCell } from '../../generic/cells/link-cell.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { FormContext } from '../../generic/view/form-view.ts'
import { rulesToEdit, rulesToSend } from '../../generic/widgets/flow-rules.ts'
import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { inRootOrg, session } from '../../session/session.ts'
import { FlowView } from './FlowView.tsx'

/** Approvers of requests: written by system administrators only (A2.54). */
export const routes = [
  ...resourcePlaces('TicketFlow', {
    menu: 'tickets',
    order: 40,
    bits: PERMISSION.super,
    license: true,
    path: '/tickets/flows',
    active: '/tickets/tickets',
    titles: { Create: msg('Create ticket flow'), Update: msg('Update ticket flow') },
  }),
  ...resourcePlaces('Flow', {
    menu: 'tickets',
    order: 50,
    license: true,
    path: '/tickets/tickets/flow',
    active: '/tickets/tickets',
    titles: { Detail: msg('Ticket flow') },
  }),
]

/** Flows have no list page of their own: they live in a tab of the tickets (A2.88). */
export const FLOW_TAB = 'TicketFlow'

const home = () => `${addressOf('TicketList') ?? '/'}?activeTab=${FLOW_TAB}`

/** Approvers of requests, by type (docs/rules/tickets.md#ticket_flow). */
export const ticketFlowPages = definePages<TicketFlow>(ticketFlow, {
  list: {
    columns: [
      {
        field: 'type_display',
        title: msg('Type'),
        width: 220,
        cell: linkCell(
          ({ id }) => addressOf('FlowDetail', { id }),
          (row) => row.type_display,
        ),
      },
      'created_by',
      // A flow of the whole installation holds here as well.
      { field: 'org_name', cell: ({ row }) => (inRootOrg() ? row.org_name : (session().org?.name ?? row.org_name)) },
      'date_created',
      'date_updated',
    ],
    minColumns: ['type_display'],
    hasSearch: false,
    hasActions: true,
    canCreate: false,
    canClone: false,
  },
  form: {
    groups: [
      {
        title: msg('Basic'),
        fields: [
          {
            name: 'type',
            widget: 'select',
            disabledWhen: () => true,
            initial: ({ query }: FormContext) => query.get('type') ?? 'apply_asset',
          },
        ],
      },
      {
        title: msg('Approval'),
        fields: [
          { name: 'approval_level', initial: 1 },
          { name: 'rules', widget: 'flow-rules', initial: rulesToEdit([]) },
        ],
      },
    ],
    fromRow: ({ rules }) => ({ rules: rulesToEdit(rules) }),
    toBody: (values) => ({ ...values, rules: rulesToSend(values.rules, values.approval_level) }),
    saveAndContinue: false,
  },
  rowTitle: (row) => row.type_display,
  home,
})

/** One flow with the people of each level; changed from its list only. */
export const flowPages = definePages<TicketFlow>(ticketFlow, {
  detail: {
    tabs: [{ name: 'FlowDetail', title: msg('Ticket detail'), component: FlowView }],
    canUpdate: false,
  },
  rowTitle: (row) => row.type_display,
  home,
})

export const pages = { TicketFlow: ticketFlowPages, Flow: flowPages }
