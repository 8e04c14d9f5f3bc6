import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { EmptyState } from '../../design/EmptyState.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { ApiError, api } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { nameOf } from '../../lib/name-of.ts'
import { keys } from '../../lib/query.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'
import { type DueProof, ProofForm } from './ProofForm.tsx'
import { placeInWords } from './places.ts'
import { stepsOf } from './Steps.tsx'
import { TicketSentence } from './TicketSentence.tsx'
import { ticketAddress } from './ticket-address.ts'
import styles from './tickets.module.css'

export const routes = places({
  name: 'DecideTicket',
  menu: 'common',
  title: msg('Decide on a ticket'),
  path: '/decide-ticket',
  hidden: true,
  bits: 0,
  cache: false,
})

const PATH = '/api/v1/tickets/card-decisions/'

interface CardDecision {
  decision: 'approved' | 'rejected'
  place: string
  /** Neither the button was used nor the level decided. */
  is_open: boolean
  proof: DueProof
  ticket: Ticket
}

/** The page behind a button of a card in a messenger (docs/rules/tickets.md#card_decision). */
export function DecideTicket({ title }: PageProps) {
  const [address] = useSearchParams()
  const code = address.get('code') ?? ''
  const found = useQuery({
    queryKey: keys.one(PATH, code),
    queryFn: ({ signal }) => api.get<CardDecision>(`${PATH}${encodeURIComponent(code)}/`, { signal, quiet: true }),
    enabled: code !== '',
    retry: false,
  })
  const isUnknown = code === '' || (found.error instanceof ApiError && found.error.status === 404)
  return (
    <PageFrame title={title}>
      {isUnknown && (
        <EmptyState title={t('This button does not count any more')}>
          {t('It has expired, or is for somebody else. The ticket itself is under Tickets.')}
        </EmptyState>
      )}
      {found.isError && !isUnknown && <LoadFailed error={found.error} onRetry={() => void found.refetch()} />}
      {found.data && <Question code={code} found={found.data} />}
    </PageFrame>
  )
}

/** The request, and the one decision that the button is for. */
function Question({ code, found }: { code: string; found: CardDecision }) {
  const { ticket, decision, is_open, proof } = found
  const client = useQueryClient()
  const page = ticketAddress(ticket)
  return (
    <>
      <section className="panel">
        <h2>{ticket.title}</h2>
        <div className="inside">
          {is_open ? (
            <ProofForm
              proof={proof}
              words={decision === 'approved' ? t('Accept@@ticket') : t('Reject@@ticket')}
              danger={decision === 'rejected'}
              send={(body) => api.post(`${PATH}${encodeURIComponent(code)}/`, body, { quiet: true })}
              onDone={() => client.invalidateQueries({ queryKey: keys.one(PATH, code) })}
            />
          ) : (
            <Outcome ticket={ticket} />
          )}
          {page && (
            <p className={styles.decideLink}>
              <Link to={page}>{t('Open the ticket')}</Link>
            </p>
          )}
        </div>
      </section>
      <TicketSentence row={ticket} />
    </>
  )
}

/** The person who decided, and the place, once that is done. */
function Outcome({ ticket }: { ticket: Ticket }) {
  const step = stepsOf(ticket).findLast(({ state }) => state !== 'notified')
  const place = placeInWords(step?.decided_in)
  const person = nameOf(step?.processor_display ?? '')
  if (!step || !person) return <p>{t('This ticket is decided already.')}</p>
  const words =
    step.state === 'approved' ? t('Approved by {{person}}', { person }) : t('Rejected by {{person}}', { person })
  return <p role="status">{place ? `${words} · ${place}` : words}</p>
}

export const pages = { DecideTicket }
