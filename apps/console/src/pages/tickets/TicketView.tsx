import { type Ticket, ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { endTab } from '../../app/open-tabs.ts'
import { DetailCard } from '../../generic/DetailCard.tsx'
import type { DetailItem, DetailProps } from '../../generic/define-pages.ts'
import { formatDate } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { Comments } from './Comments.tsx'
import { Steps } from './Steps.tsx'
import { StatusTag } from './tags.tsx'
import { ticketAddress } from './ticket-address.ts'

/** Others may decide while somebody reads. */
const REFRESH_MS = 5000

const BASIC: readonly (string | DetailItem)[] = [
  'serial_num',
  { field: 'applicant_display', title: msg('Applicant') },
  { field: 'type_display', title: msg('Type') },
  { field: 'status', render: ({ status }) => <StatusTag status={String(status)} /> },
  'org_name',
  'date_created',
  'comment',
]

const meta = (field: string, title: string, show: (value: unknown) => string = String): DetailItem => ({
  field,
  title,
  render: (row) => show((row.meta as Record<string, unknown>)[field] ?? '-'),
})

/** What was asked for, by the ticket's type. */
const ASKED: Readonly<Record<string, readonly DetailItem[]>> = {
  login_confirm: [
    meta('apply_login_ip', msg('Login IP@@ticket')),
    meta('apply_login_city', msg('Login city')),
    meta('apply_login_datetime', msg('Login date@@ticket'), formatDate),
  ],
  login_asset_confirm: [
    meta('apply_login_asset', msg('Login asset')),
    meta('apply_login_system_user', msg('Login system user')),
    meta('apply_login_user', msg('Login user')),
  ],
}

/** A ticket whole: facts and comments at the left, its steps at the right. */
export function TicketView({ row, refresh }: DetailProps<Ticket>) {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const own = ticketAddress(row)
  useEffect(() => {
    // The plain address is the one in messages: it leads on to the page of the type (spec notes, A2.53).
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
    <div className="detail-grid">
      <div className="stacked">
        <DetailCard definition={ticket} row={row} items={BASIC} />
        {asked && <DetailCard definition={ticket} row={row} items={asked} title={t('Asked for')} />}
        <Comments row={row} refresh={refresh} />
      </div>
      <div className="detail-side">
        <Steps ticket={row} />
      </div>
    </div>
  )
}
