import { type Ticket, ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { DetailCard } from '../../generic/detail/DetailCard.tsx'
import type { DetailItem, DetailProps } from '../../generic/view/detail-view.ts'
import { t } from '../../lib/i18n.ts'
import { endTab } from '../../navigation/open-tabs.ts'
import { Comments } from './Comments.tsx'
import { SessionCard } from './SessionCard.tsx'
import { Steps } from './Steps.tsx'
import { TicketSentence } from './TicketSentence.tsx'
import { ticketAddress } from './ticket-address.ts'
import { ASKED, assignedFacts, basicFacts, type Fact, isRequest } from './ticket-facts.tsx'

/** Others may decide while somebody reads. */
const REFRESH_MS = 5000

const card = (facts: readonly Fact[]) => facts as readonly (string | DetailItem)[]

/** A ticket whole: facts and comments at the left, its steps and its session at the right. */
export function TicketView({ row, refresh }: DetailProps<Ticket>) {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const own = ticketAddress(row)
  useEffect(() => {
    // The plain address is the one in messages: it leads on to the page of the type (A2.53).
    if (!own || own === pathname || !/^\/tickets\/tickets\/[^/]+$/.test(pathname)) return
    endTab(pathname)
    void navigate(own, { replace: true })
  }, [own, pathname, navigate])
  const isOpen = row.status === 'open'
  useEffect(() => {
    if (!isOpen) return
    const timer = setInterval(() => {
      if (!document.hidden) void refresh()
    }, REFRESH_MS)
    return () => clearInterval(timer)
  }, [isOpen, refresh])
  const asked = ASKED[row.type]
  return (
    <>
      <TicketSentence row={row} />
      <div className="detail-grid">
        <div className="stacked">
          <DetailCard definition={ticket} row={row} items={card(basicFacts(row))} />
          {asked && <DetailCard definition={ticket} row={row} items={card(asked)} title={t('Request')} />}
          {asked && row.requested && (
            <DetailCard
              definition={ticket}
              row={{ ...row, meta: row.requested }}
              items={card(asked)}
              title={t('As it was asked for')}
            />
          )}
          {isRequest(row) && row.state === 'approved' && (
            <DetailCard definition={ticket} row={row} items={card(assignedFacts(row))} title={t('Decision')} />
          )}
          <Comments row={row} refresh={refresh} />
        </div>
        <div className="detail-side">
          <Steps ticket={row} />
          <SessionCard ticket={row} />
        </div>
      </div>
    </>
  )
}
