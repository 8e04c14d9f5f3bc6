import type { Session } from '@sallyport/contract/resources/terminal/session.ts'
import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { ticket as ticketDefinition } from '@sallyport/contract/resources/tickets/ticket.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Button } from '../../design/Button.tsx'
import { DetailCard } from '../../generic/detail/DetailCard.tsx'
import type { DetailItem } from '../../generic/view/detail-view.ts'
import { ApiError, api, withQuery } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { nameOf } from '../../lib/name-of.ts'
import { keys } from '../../lib/query.ts'
import { addressOf } from '../../navigation/routes.ts'
import { mayAccess, session } from '../../session/session.ts'
import { askToTerminate } from '../terminal/terminate.ts'
import { openMonitor } from '../windows.ts'
import { stepsOf } from './Steps.tsx'
import { metaOf } from './ticket-facts.tsx'
import styles from './tickets.module.css'

/**
 * The session begins a moment after the word that it waits for
 * (docs/rules/tickets.md#session_card).
 */
const SEARCH_MS = 1400
/** A minute; somebody who went away is not coming back any more. */
const MAX_SEARCHES = 43
const RUNNING_MS = 5000

const OVER = () => t('This session is over')

const FACTS: readonly DetailItem<Session>[] = [
  { field: 'asset', title: msg('Target') },
  { field: 'system_user', title: msg('System user') },
  { field: 'protocol', title: msg('Protocol') },
  { field: 'remote_addr', title: msg('Remote address') },
]

/**
 * The session of the ticket, for those who decide on it: that it let in, which they may end and
 * watch, or in which its command waits.
 */
export function SessionCard({ ticket }: { ticket: Ticket }) {
  const path = `${ticketDefinition.path}${ticket.id}/session/`
  const isReviewer = stepsOf(ticket).some(({ assignees }) => assignees.includes(session().profile.id))
  const found = useQuery({
    queryKey: keys.one(path, ticket.id),
    queryFn: ({ signal }) => api.get<Session>(path, { signal, quiet: true }),
    enabled:
      ((ticket.type === 'command_confirm' && metaOf(ticket, 'apply_from_session_id') !== undefined) ||
        (ticket.type === 'login_asset_confirm' && ticket.state === 'approved')) &&
      (isReviewer || mayAccess(['super_admin'])),
    refetchInterval: ({ state: { data, error, errorUpdateCount } }) => {
      if (data) return data.is_finished ? false : RUNNING_MS
      return error instanceof ApiError && error.status !== 404 ? false : errorUpdateCount < MAX_SEARCHES && SEARCH_MS
    },
  })
  const row = found.data
  if (!row) return null
  return (
    <div className={styles.sessionOfTicket}>
      <DetailCard
        // Not of sessions: reviewers need not be allowed to list those.
        definition={ticketDefinition}
        row={row}
        title={t('Session')}
        items={[
          { field: 'id', title: msg('Session'), render: () => <SessionName row={row} /> },
          ...(FACTS as DetailItem[]),
        ]}
      />
      {(ticket.type === 'login_asset_confirm' || row.can_terminate || row.can_join) && (
        <div className={styles.commentButtons}>
          <Button
            danger
            whyDisabled={
              row.is_finished
                ? OVER()
                : row.can_terminate === true
                  ? undefined
                  : t('This session cannot be ended from here')
            }
            onClick={() => askToTerminate(row, 'kill-session-for-ticket', () => void found.refetch())}
          >
            {t('Terminate')}
          </Button>
          <Button
            whyDisabled={
              row.is_finished ? OVER() : row.can_join === true ? undefined : t('This session cannot be monitored')
            }
            onClick={() => openMonitor(row.id, ticket.id)}
          >
            {t('Monitor')}
          </Button>
        </div>
      )}
    </div>
  )
}

function SessionName({ row }: { row: Session }) {
  const address = addressOf('SessionDetail', { id: row.id })
  const words = row.is_finished ? t('Ended') : t('Online')
  const name = t('The session on {{asset}}', { asset: nameOf(row.asset) })
  return (
    <>
      <span
        className={row.is_finished ? styles.liveDot : `${styles.liveDot} ${styles.online}`}
        role="img"
        aria-label={words}
        title={words}
      />{' '}
      {address ? <Link to={withQuery(address, { oid: row.org_id })}>{name}</Link> : name}
    </>
  )
}
