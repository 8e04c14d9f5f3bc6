import { AuditOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { api } from '../lib/api.ts'
import { t } from '../lib/i18n.ts'
import { keys } from '../lib/query.ts'
import { addressOf } from './routes.ts'
import { session } from './session.ts'

const PATH = '/api/v1/tickets/tickets/'
const REFRESH_MS = 60_000
/** More than this is "99+", as at the bell. */
const MOST_SHOWN = 99

/** The way to the tickets, with the number that waits for this person's word; only where there are tickets (spec A6.35 B7.25 B7.26). */
export function TicketsLink() {
  const address = addressOf('TicketList')
  const query = { assignees__id: session().profile.id, status: 'open', offset: 0, limit: 15, display: 1, draw: 1 }
  const assigned = useQuery({
    queryKey: keys.list(PATH, query),
    queryFn: ({ signal }) => api.get<{ count: number }>(PATH, { query, signal, quiet: true }),
    enabled: address !== undefined,
    refetchInterval: REFRESH_MS,
  })
  if (!address) return null
  const count = assigned.data?.count ?? 0
  const words = count > 0 ? t('Tickets, {{count}} to decide on', { count }) : t('Tickets')
  return (
    <Link className="bar-button bell" to={count > 0 ? `${address}?activeTab=AssignedTicketList` : address} aria-label={words} title={words}>
      <AuditOutlined />
      {count > 0 && <b className="bell-count">{count > MOST_SHOWN ? `${MOST_SHOWN}+` : count}</b>}
    </Link>
  )
}
