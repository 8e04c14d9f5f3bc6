import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { visibleText } from '@sallyport/contract/visible-text.ts'
import { MarkedText } from '../MarkedText.tsx'
import { metaOf } from './ticket-facts.tsx'
import styles from './tickets.module.css'

/** The whole command that is to be confirmed, nothing in it hidden, what the rule found marked. */
export function AskedCommand({ row }: { row: Ticket }) {
  const text = visibleText(String(metaOf(row, 'apply_run_command') ?? ''))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long command scrolls, also by keys
    <pre className={styles.askedCommand} tabIndex={0}>
      <MarkedText text={text} found={String(metaOf(row, 'apply_run_command_match') ?? '')} />
    </pre>
  )
}
