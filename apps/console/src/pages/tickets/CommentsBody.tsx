import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { type TicketComment, ticketComment } from '@sallyport/contract/resources/tickets/ticket-comment.ts'
import { useQuery } from '@tanstack/react-query'
import { Input } from 'antd'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { showError, showSuccess } from '../../design/feedback.tsx'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { api, errorText } from '../../lib/api.ts'
import { formatDate, formatRelative } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { forget, keys } from '../../lib/query.ts'
import { session } from '../../session/session.ts'
import { stepsOf } from './Steps.tsx'
import { isRequest, metaOf } from './ticket-facts.tsx'

const REFRESH_MS = 15_000
const MAX_CHARACTERS = 10_000

type Action = 'approve' | 'reject' | 'close'

/**
 * What was said and done about a ticket, and what the person may do (contract/tickets.yaml
 * `comments`).
 */
export function CommentsBody({ row, refresh }: DetailProps<Ticket>) {
  const [text, setText] = useState('')
  const [busy, setBusy] = useState<Action | 'reply'>()
  const { id } = session().profile
  const isOpen = row.status === 'open'
  const current = stepsOf(row).find(({ approval_level }) => approval_level === row.approval_step)
  const decides = current?.assignees.includes(id) ?? false
  const run = async (what: Action | 'reply') => {
    if (what === 'approve' && isRequest(row) && !isWhole(row)) {
      showError(t('The ticket names no assets or no system users, so there is nothing to allow'))
      return
    }
    setBusy(what)
    try {
      // What somebody wrote goes with the decision, and stays in the box when it was not taken.
      if (text.trim()) {
        await api.post(ticketComment.path, { body: text.trim() }, { query: { ticket_id: row.id } })
        setText('')
      }
      if (what !== 'reply') {
        await api.put(
          `/api/v1/tickets/tickets/${row.id}/${what}/`,
          what === 'approve' && isRequest(row) ? { meta: {} } : {},
        )
        showSuccess(t('Done@@ticket'))
      }
    } catch {
      // The client has shown why.
    }
    setBusy(undefined)
    await Promise.all([forget(ticketComment.path), refresh()])
  }
  const button = (what: Action | 'reply', label: string, kind: { type?: 'primary'; danger?: boolean } = {}) => (
    <Button
      {...kind}
      loading={busy === what}
      disabled={!isOpen || (what === 'reply' && !text.trim())}
      onClick={() => void run(what)}
    >
      {label}
    </Button>
  )
  return (
    <section className="panel">
      <h2>{t('Comments')}</h2>
      <div className="inside comments">
        <CommentList ticketId={row.id} />
        <Input.TextArea
          aria-label={t('Your comment')}
          placeholder={isOpen ? t('Your comment') : t('This ticket is closed')}
          rows={3}
          maxLength={MAX_CHARACTERS}
          disabled={!isOpen}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <div className="comment-buttons">
          {decides && button('approve', t('Accept@@ticket'), { type: 'primary' })}
          {decides && button('reject', t('Reject@@ticket'), { danger: true })}
          {row.applicant === id && button('close', t('Close@@ticket'))}
          {button('reply', t('Reply'))}
        </div>
      </div>
    </section>
  )
}

/** What was said so far, read again every now and then. */
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
            <span className="face" aria-hidden="true">
              {[...comment.user_display][0]?.toUpperCase()}
            </span>
            <div>
              <b>{comment.user_display}</b> <time>{formatRelative(comment.date_created)}</time>{' '}
              <time className="exact">{formatDate(comment.date_created)}</time>
              <p>{comment.body}</p>
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Whether a request names what a permission needs: machines and the users on them. */
function isWhole(row: Ticket): boolean {
  const has = (...lists: string[]) => lists.some((name) => (metaOf(row, name) as unknown[] | undefined)?.length)
  return has('apply_nodes', 'apply_assets', 'apply_applications') && has('apply_system_users')
}
