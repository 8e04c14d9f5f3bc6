import { PageFrame } from '../../app/PageFrame.tsx'
import type { PageProps } from '../../app/registry.ts'
import { session } from '../../app/session.ts'
import { ResourceTable } from '../../generic/ResourceTable.tsx'
import { TabPage } from '../../generic/TabPage.tsx'
import { t } from '../../lib/i18n.ts'
import { ticketPages } from './ticket.tsx'

/** What the person asked for, and what waits for their word (spec A2.48 A2.66). */
export function TicketList({ title }: PageProps) {
  const { id } = session().profile
  return (
    <PageFrame title={title}>
      <TabPage
        tabs={[
          {
            name: 'MyTicketList',
            title: t('My tickets'),
            content: () => <ResourceTable key="mine" pages={ticketPages} base="Ticket" inAddress={false} query={{ applicant: id }} />,
          },
          {
            name: 'AssignedTicketList',
            title: t('Assigned to me'),
            content: () => (
              <ResourceTable key="assigned" pages={ticketPages} base="Ticket" inAddress={false} query={{ assignees__id: id }} />
            ),
          },
        ]}
      />
    </PageFrame>
  )
}
