import { type ReactNode, useState } from 'react'
import { LazyDialog } from '../../design/dialogs/lazy-dialog.tsx'
import { type Fact, Facts } from '../../generic/detail/Facts.tsx'
import { Name } from '../../generic/detail/Sentence.tsx'
import { nameOf } from '../../lib/name-of.ts'
import { addressOf } from '../../navigation/routes.ts'
import styles from '../lists.module.css'

interface EventCellProps {
  /** What happened, in a sentence. */
  children: ReactNode
  /** The same as the title of what it opens into. */
  title: ReactNode
  /** Drawn once it is open. */
  detail: () => ReactNode
}

/** A sentence that opens into all that is known of what happened. */
export function EventCell({ children, title, detail }: EventCellProps) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button type="button" className={styles.event} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {children}
      </button>
      {open && (
        <LazyDialog title={title} width={720} onClose={() => setOpen(false)}>
          <div className={styles.eventDetail}>{detail()}</div>
        </LazyDialog>
      )}
    </>
  )
}

type PossibleFact = readonly [field: string, label: string, content: ReactNode]

/** Facts with their titles; those without content are left out. */
export function EventFacts({ facts }: { facts: readonly PossibleFact[] }) {
  const known = facts.flatMap(([field, label, content]): Fact[] => (content ? [{ field, label, content }] : []))
  return <Facts facts={known} />
}

/** `Ann(ann)` as a link to her page, where the row knows who she is. */
export const PersonName = ({ text, id }: { text: string; id: string | null | undefined }) => (
  <Name thing={{ words: nameOf(text), address: id ? addressOf('UserDetail', { id }) : undefined }} />
)
