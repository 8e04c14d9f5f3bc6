import { ClipboardCheckIcon } from 'lucide-react'
import { Link } from 'react-router'
import { t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { useAssignedTickets } from '../../pages/tickets/assigned-tickets.ts'
import { licenseValid } from '../../session/session.ts'

/** More than this is "99+", as at the bell. */
const MOST_SHOWN = 99

/**
 * The way to the tickets, with the number that waits for this person's word; only where there are
 * tickets (A6.35 B7.25 B7.26), and without a license only while some wait: a command that has
 * to be confirmed waits for its reviewers whether or not there is one.
 */
export function TicketsLink() {
  const address = addressOf('TicketList')
  const count = useAssignedTickets()
  if (!address || (count === 0 && !licenseValid())) return null
  const words = count > 0 ? t('Tickets, {{count}} to decide on', { count }) : t('Tickets')
  return (
    <Link
      className="bar-button bell"
      to={count > 0 ? `${address}?activeTab=AssignedTicketList` : address}
      aria-label={words}
      title={words}
    >
      <ClipboardCheckIcon />
      {count > 0 && <b className="bell-count">{count > MOST_SHOWN ? `${MOST_SHOWN}+` : count}</b>}
    </Link>
  )
}
