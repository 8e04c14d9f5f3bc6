import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { formatDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { StateTag } from './tags.tsx'

/** One level of approval, as the server tells it. */
export interface ProcessStep {
  approval_level: number
  state: string
  assignees: string[]
  assignees_display: string[]
  approval_date: string
  processor_display: string
}

export const stepsOf = ({ process_map }: Ticket): readonly ProcessStep[] => process_map as unknown as ProcessStep[]

/** The way of a ticket: asked, decided on at each level, done. */
export function Steps({ ticket }: { ticket: Ticket }) {
  return (
    <section className="panel">
      <h2>{t('Process@@ticket')}</h2>
      <ol className="steps inside">
        <li className="done">
          <b>{t('Asked')}</b>
          <p>{ticket.applicant_display}</p>
          <time>{formatDate(ticket.date_created)}</time>
        </li>
        {stepsOf(ticket).map((step) => (
          <li key={step.approval_level} className={step.state === 'notified' ? 'current' : 'done'}>
            <b>{t('Level {{level}}', { level: step.approval_level })}</b> <StateTag state={step.state} />
            <p>
              {step.state === 'notified'
                ? t('Waits for {{people}}', { people: step.assignees_display.join(', ') || '-' })
                : step.state === 'closed'
                  ? ticket.applicant_display
                  : step.processor_display}
            </p>
            {step.approval_date && <time>{formatDate(step.approval_date)}</time>}
          </li>
        ))}
        {ticket.status === 'closed' && (
          <li className="done">
            <b>{t('Finished@@ticket')}</b>
            <p>
              <time>{formatDate(ticket.date_updated)}</time>
            </p>
          </li>
        )}
      </ol>
    </section>
  )
}
