import type { Command } from '@sallyport/contract/resources/terminal/command.ts'
import { ChevronDownIcon, ChevronRightIcon } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../lib/i18n.ts'
import styles from '../lists.module.css'
import { StatementText } from './StatementText.tsx'

/** Commands of this level stand out. */
const DANGEROUS = 5

/** The typed command; a click shows its output. */
export function CommandCell({ row }: { row: Command }) {
  const [open, setOpen] = useState(false)
  const dangerous = Number(row.risk_level) >= DANGEROUS
  return (
    <div className={dangerous ? 'command dangerous' : 'command'}>
      <button
        type="button"
        className="link"
        aria-expanded={open}
        title={open ? t('Hide the output') : t('Show the output')}
        onClick={() => setOpen(!open)}
      >
        {open ? <ChevronDownIcon /> : <ChevronRightIcon />} <code>{row.input}</code>
      </button>
      {open &&
        (row.statement_length == null ? (
          <pre className={styles.commandOutput}>{`$ ${row.input}\n${row.output}`}</pre>
        ) : (
          <StatementText row={row} />
        ))}
    </div>
  )
}
