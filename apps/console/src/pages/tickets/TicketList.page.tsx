import { SettingsIcon } from 'lucide-react'
import { TabPage } from '../../generic/detail/TabPage.tsx'
import type { Tab } from '../../generic/detail/tab.ts'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { msg, t } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { session } from '../../session/session.ts'
import type { PageProps } from '../page-props.ts'
import { useAssignedTickets } from './assigned-tickets.ts'
import { ownTicketPages, ticketPages } from './ticket.page.tsx'
import { FLOW_TAB, ticketFlowPages } from './ticket-flow.page.tsx'

export const routes = places(
  { name: 'TicketList', menu: 'tickets', order: 10, title: msg('Tickets'), path: '/tickets/tickets', hidden: true },
  {
    name: 'TicketList',
    menu: 'user-tickets',
    order: 10,
    title: msg('Tickets'),
    path: '/tickets',
    alsoAt: { '/tickets/tickets': '' },
  },
)

/**
 * The person's requests, those that wait for their decision, and for those who may set it up: who
 * decides (A2.48 A2.66).
 */
export function TicketList({ title }: PageProps) {
  const { id } = session().profile
  const { count: waiting } = useAssignedTickets()
  const tabs: Tab[] = [
    {
      name: 'MyTicketList',
      title: t('My tickets'),
      content: () => (
        <ResourceTable key="mine" pages={ownTicketPages} base="Ticket" inAddress={false} query={{ applicant: id }} />
      ),
    },
    {
      name: 'AssignedTicketList',
      title: t('Assigned to me'),
      count: waiting,
      content: () => (
        <ResourceTable
          key="assigned"
          pages={ticketPages}
          base="Ticket"
          inAddress={false}
          query={{ assignees__id: id }}
        />
      ),
    },
  ]
  if (addressOf('TicketFlowUpdate'))
    tabs.push({
      name: FLOW_TAB,
      title: t('Approval flows'),
      icon: <SettingsIcon />,
      content: () => <ResourceTable key="flows" pages={ticketFlowPages} base="TicketFlow" inAddress={false} />,
    })
  return (
    <PageFrame title={title}>
      <TabPage tabs={tabs} />
    </PageFrame>
  )
}

export const pages = { TicketList }
