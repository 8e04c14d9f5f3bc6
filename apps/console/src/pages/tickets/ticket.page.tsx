import { type Ticket, ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { linkCell } from '../../generic/cells/link-cell.tsx'
import { StateCell } from '../../generic/cells/StateCell.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { ColumnView, ListView } from '../../generic/view/list-view.ts'
import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { Decision } from './Decision.tsx'
import { TicketView } from './TicketView.tsx'
import { ticketAddress } from './ticket-address.ts'
import { stateOf } from './ticket-state.ts'

/**
 * One ticket by its kind; kinds without an address of their own share the plain one
 * (docs/rules/tickets.md#cards).
 */
export const routes = [
  { menu: 'tickets' as const, order: 30, active: '/tickets/tickets' },
  { menu: 'user-tickets' as const, order: 30, active: '/tickets' },
].flatMap((shared) => [
  ...resourcePlaces('AssetsTicket', {
    ...shared,
    path: '/tickets/tickets/request-asset-perm',
    titles: { Detail: msg('Ticket detail') },
  }),
  ...resourcePlaces('ApplicationsTicket', {
    ...shared,
    path: '/tickets/tickets/request-application-perm',
    titles: { Detail: msg('Ticket detail') },
  }),
  ...resourcePlaces('LoginAssetTicket', {
    ...shared,
    path: '/tickets/tickets/login-asset-confirm',
    titles: { Detail: msg('Ticket detail') },
  }),
  ...resourcePlaces('CommandConfirm', {
    ...shared,
    path: '/tickets/tickets/command-confirm',
    titles: { Detail: msg('Command confirm@@page') },
  }),
  ...resourcePlaces('Ticket', { ...shared, path: '/tickets/tickets', titles: { Detail: msg('Ticket detail') } }),
])

const columns: readonly (string | ColumnView<Ticket>)[] = [
  'serial_num',
  {
    field: 'title',
    cell: linkCell<Ticket>(ticketAddress, (row) => row.title),
  },
  { field: 'applicant_display', title: msg('Applicant') },
  { field: 'type_display', title: msg('Type') },
  { field: 'state', width: 112, cell: ({ row }) => <StateCell {...stateOf(row)} /> },
  'date_created',
]

/** A list changes while somebody looks at it: others ask and decide. */
const REFRESH_MS = 15_000

const list: ListView<Ticket> = {
  columns,
  minColumns: ['title'],
  // Whether a ticket is open is part of its state.
  hideSearch: ['status'],
  hasActions: false,
  hasExport: false,
  initialFilters: { state: 'open' },
  refetchInterval: REFRESH_MS,
}

/** What people may ask for, each with the page of its form. */
const REQUESTS = [
  { name: 'asset', title: msg('Request asset access'), page: 'RequestAssetPermTicketCreateUpdate' },
  {
    name: 'application',
    title: msg('Request application access'),
    page: 'RequestApplicationPermTicketCreateUpdate',
  },
] as const

/**
 * Tickets to decide on; one ticket with its steps and comments (docs/rules/tickets.md#ticket).
 */
export const ticketPages = definePages<Ticket>(ticket, {
  list: { ...list, none: msg('Nothing is pending') },
  detail: {
    states: (row) => [stateOf(row)],
    actions: Decision,
    tabs: [{ name: 'TicketDetail', title: msg('Ticket detail'), component: TicketView }],
  },
  home: () => addressOf('TicketList') ?? '/',
})

/** What somebody asked for, and asking for more. */
export const ownTicketPages = definePages<Ticket>(ticket, {
  list: {
    ...list,
    none: msg('None of your requests is waiting'),
    headerActions: [
      {
        name: 'request',
        title: msg('Request tickets'),
        primary: true,
        has: () => REQUESTS.some(({ page }) => addressOf(page) !== undefined),
        items: REQUESTS.map(({ name, title, page }) => ({ name, title, run: ({ go }) => go(addressOf(page) ?? '/') })),
      },
    ],
  },
})

export const pages = {
  AssetsTicket: ticketPages,
  ApplicationsTicket: ticketPages,
  LoginAssetTicket: ticketPages,
  CommandConfirm: ticketPages,
  Ticket: ticketPages,
}
