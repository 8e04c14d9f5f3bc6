import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { type TicketComment, ticketComment } from '@sallyport/contract/resources/tickets/ticket-comment.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { LongInput } from '../../design/inputs/LongInput.tsx'
import { Named } from '../../design/Named.tsx'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { api, errorText } from '../../lib/api.ts'
import { formatDate, formatRelative } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { forget, keys } from '../../lib/query.ts'
import { session } from '../../session/session.ts'
import { MAX_CHARACTERS } from './decision.ts'
import styles from './tickets.module.css'

const REFRESH_MS = 15_000

type Action = 'close' | 'reply'

/**
 * Comments and events of a ticket, and a box to add to them
 * (docs/rules/tickets.md#ticket_comment).
 */
export function Comments({ row, refresh }: DetailProps<Ticket>) {
  const [text, setText] = useState('')
  const [busy, setBusy] = useState<Action>()
  const { id } = session().profile
  const isOpen = row.status === 'open'
  const run = async (what: Action) => {
    setBusy(what)
    try {
      // What somebody wrote stays in the box when it was not taken.
      if (text.trim()) {
        await api.post(ticketComment.path, { body: text.trim() }, { query: { ticket_id: row.id } })
        setText('')
      }
      if (what !== 'reply') {
        await api.put(`/api/v1/tickets/tickets/${row.id}/close/`, {})
        showSuccess(t('Done@@ticket'))
      }
    } catch {
      // The client has shown why.
    }
    setBusy(undefined)
    await Promise.all([forget(ticketComment.path), refresh()])
  }
  const button = (what: Action, label: string) => (
    <Button
      loading={busy === what}
      whyDisabled={isOpen ? undefined : t('This ticket is closed')}
      disabled={what === 'reply' && !text.trim()}
      onClick={() => void run(what)}
    >
      {label}
    </Button>
  )
  return (
    <section className="panel">
      <h2>{t('Comments')}</h2>
      <div className={`inside ${styles.comments}`}>
        <CommentList ticketId={row.id} />
        <LongInput
          aria-label={t('Your comment')}
          placeholder={isOpen ? t('Your comment') : t('This ticket is closed')}
          rows={3}
          maxLength={MAX_CHARACTERS}
          disabled={!isOpen}
          value={text}
          onChange={setText}
        />
        <div className={styles.commentButtons}>
          {row.applicant === id && button('close', t('Close@@ticket'))}
          {button('reply', t('Reply'))}
        </div>
      </div>
    </section>
  )
}

/** The comments so far, read again every now and then. */
function CommentList({ ticketId }: { ticketId: string }) {
  const query = { ticket_id: ticketId }
  const comments = useQuery({
    queryKey: keys.list(ticketComment.path, query),
    queryFn: ({ signal }) => api.get<TicketComment[]>(ticketComment.path, { query, signal, quiet: true }),
    refetchInterval: REFRESH_MS,
  })
  return (
    <>
      {comments.isError && <p role="alert">{errorText(comments.error)}</p>}
      <ul>
        {comments.data?.map((comment) => (
          <li key={comment.id}>
            <span className={styles.face} aria-hidden="true">
              {[...comment.user_display][0]?.toUpperCase()}
            </span>
            <div>
              <p className={styles.commentHead}>
                <b>
                  <Named text={comment.user_display} />
                </b>{' '}
                <time>{formatRelative(comment.date_created)}</time> <time>{formatDate(comment.date_created)}</time>
              </p>
              <p>{comment.body}</p>
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}
