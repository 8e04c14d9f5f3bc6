import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { ClipboardCheckIcon } from 'lucide-react'
import { type MouseEvent, useState } from 'react'
import { Link } from 'react-router'
import { Popup } from '../../design/popups/Popup.tsx'
import { LinkedWords } from '../../generic/cells/link-cell.tsx'
import { When } from '../../generic/cells/When.tsx'
import { t } from '../../lib/i18n.ts'
import { nameOf } from '../../lib/name-of.ts'
import { addressOf } from '../../navigation/routes.ts'
import { useAssignedTickets } from '../../pages/tickets/assigned-tickets.ts'
import { ticketAddress } from '../../pages/tickets/ticket-address.ts'
import { licenseValid } from '../../session/session.ts'
import styles from './bell.module.css'

/** More than this is "99+", as at the bell. */
const MOST_SHOWN = 99

/** So many are shown at once; the list has the others. */
const MOST_TOLD = 5

/**
 * The way to the tickets; while some wait for this person's word, their number, and at a click which
 * they are. Only where there are tickets (A6.35 B7.25 B7.26), and without a license only while some
 * wait: a command that has to be confirmed waits for its reviewers whether or not there is one.
 */
export function TicketsLink() {
  const address = addressOf('TicketList')
  const { count, newest } = useAssignedTickets()
  const [anchor, setAnchor] = useState<HTMLElement>()
  if (!address || (count === 0 && !licenseValid())) return null
  const words = count > 0 ? t('Tickets, {{count}} to decide on', { count }) : t('Tickets')
  const all = count > 0 ? `${address}?activeTab=AssignedTicketList` : address
  const preview = (event: MouseEvent<HTMLElement>) => {
    // With a key it is a link like any other, as for another tab.
    if (count === 0 || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    setAnchor(anchor ? undefined : event.currentTarget)
  }
  return (
    <>
      <Link
        className={`bar-button ${styles.bell}`}
        to={all}
        aria-label={words}
        title={words}
        {...(count > 0 ? { 'aria-haspopup': 'dialog' as const, 'aria-expanded': anchor !== undefined } : {})}
        onClick={preview}
      >
        <ClipboardCheckIcon />
        {count > 0 && <b className={styles.bellCount}>{count > MOST_SHOWN ? `${MOST_SHOWN}+` : count}</b>}
      </Link>
      {anchor && <Waiting {...{ anchor, count, newest, all }} onClose={() => setAnchor(undefined)} />}
    </>
  )
}

interface WaitingProps {
  anchor: HTMLElement
  count: number
  newest: readonly Ticket[]
  /** Address of their list. */
  all: string
  onClose: () => void
}

function Waiting({ anchor, count, newest, all, onClose }: WaitingProps) {
  return (
    <Popup
      anchor={anchor}
      role="dialog"
      aria-label={t('Waiting for your decision')}
      className={styles.waitingTickets}
      onOpen={(box) => box.querySelector('a')?.focus({ preventScroll: true })}
      onClick={({ target }) => (target as Element).closest('a') && onClose()}
      onClose={onClose}
    >
      <h2>{t('Waiting for your decision')}</h2>
      <ul>
        {newest.slice(0, MOST_TOLD).map((ticket) => (
          <li key={ticket.id}>
            <LinkedWords to={ticketAddress(ticket)}>{ticket.title}</LinkedWords>
            <small>
              <bdi>{nameOf(ticket.applicant_display)}</bdi> · {ticket.type_display} ·{' '}
              <When value={ticket.date_created} />
            </small>
          </li>
        ))}
      </ul>
      <Link to={all}>{t('All {{count}}', { count })}</Link>
    </Popup>
  )
}
