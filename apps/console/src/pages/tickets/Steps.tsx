import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { showDialog } from '../../design/dialogs/feedback.tsx'
import { Named } from '../../design/Named.tsx'
import { StateCell } from '../../generic/cells/StateCell.tsx'
import { formatDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { nameOf } from '../../lib/name-of.ts'
import { placeInWords } from './places.ts'
import { stateOf } from './ticket-state.ts'
import styles from './tickets.module.css'

/** One level of approval, as the server tells it. */
export interface ProcessStep {
  approval_level: number
  state: string
  assignees: string[]
  assignees_display: string[]
  approval_date: string
  processor_display: string
  /** The place of the decision; absent where the server closed it. */
  decided_in?: string
  /** Why the server closed it, in words; absent where a person did. */
  withdrawn_display?: string
}

export const stepsOf = ({ process_map }: Ticket): readonly ProcessStep[] => process_map as unknown as ProcessStep[]

/** The way of a ticket: asked, decided on at each level, done. */
export function Steps({ ticket }: { ticket: Ticket }) {
  return (
    <section className="panel">
      <h2>{t('Process@@ticket')}</h2>
      <ol className={`${styles.steps} inside`}>
        <li className={styles.done}>
          <b>{t('Requested')}</b> {ticket.type_display}
          <p>
            <Named text={ticket.applicant_display} />
          </p>
          <time>{formatDate(ticket.date_created)}</time>
        </li>
        {stepsOf(ticket).map((step) => (
          <Level key={step.approval_level} step={step} ticket={ticket} />
        ))}
        {ticket.status === 'closed' && (
          <li className={styles.done}>
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

/** One level: who decides, and once it is decided who did, and when. */
function Level({ step, ticket }: { step: ProcessStep; ticket: Ticket }) {
  const { approval_level: level, assignees_display: people, state } = step
  const isDecided = state !== 'notified'
  const place = placeInWords(step.decided_in)
  const isCurrent = !isDecided && ticket.status === 'open' && level === ticket.approval_step
  return (
    <li
      className={isCurrent ? styles.current : isDecided ? styles.done : styles.ahead}
      aria-current={isCurrent ? 'step' : undefined}
    >
      <b>{t('Level {{level}}', { level })}</b> {(isDecided || isCurrent) && <StateCell {...stateOf({ state })} />}
      <People level={level} people={people} />
      {isDecided && (
        <p>
          {step.withdrawn_display ??
            t('Decided by {{person}}', {
              person: nameOf(state === 'closed' ? ticket.applicant_display : step.processor_display),
            })}
          {place && ` · ${place}`}
        </p>
      )}
      {isDecided && step.approval_date && <time>{formatDate(step.approval_date)}</time>}
    </li>
  )
}

/** So many are named in their place; more of them in a dialog. */
const NAMED_AT_ONCE = 4

/** People who may decide. */
function People({ level, people }: { level: number; people: readonly string[] }) {
  if (people.length === 0) return <p>{t('No approver at this level. Ask an administrator.')}</p>
  const isAll = people.length <= NAMED_AT_ONCE
  return (
    <ul className={styles.deciders} aria-label={t('Assignees')}>
      {people.slice(0, isAll ? people.length : NAMED_AT_ONCE - 1).map((person) => (
        <li key={person}>
          <Named text={person} />
        </li>
      ))}
      {!isAll && (
        <li>
          <button type="button" className="link" onClick={() => showPeople(level, people)}>
            {t('All {{count}}', { count: people.length })}
          </button>
        </li>
      )}
    </ul>
  )
}

function showPeople(level: number, people: readonly string[]): void {
  showDialog({
    title: t('Assignees of level {{level}}', { level }),
    content: (
      <ul className={styles.people}>
        {people.map((person) => (
          <li key={person}>
            <Named text={person} />
          </li>
        ))}
      </ul>
    ),
  })
}
