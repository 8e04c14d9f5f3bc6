import { XIcon } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../../lib/i18n.ts'
import styles from './batch-command.module.css'
import type { Machine } from './use-machines.ts'

/** So many are shown before somebody asks for all. */
const SHOWN = 24

interface ChosenMachinesProps {
  machines: readonly Machine[]
  onLeaveOut: (id: string) => void
}

/** The machines that a run would reach, by name and address; each can be left out again. */
export function ChosenMachines({ machines, onLeaveOut }: ChosenMachinesProps) {
  const [all, setAll] = useState(false)
  if (machines.length === 0) return null
  const shown = all ? machines : machines.slice(0, SHOWN)
  return (
    <ul className={styles.batchChosen} aria-label={t('Chosen assets')}>
      {shown.map(({ id, name, address }) => (
        <li key={id}>
          <span>{name}</span>
          {address && <small>{address}</small>}
          <button type="button" aria-label={t('Leave out {{name}}', { name })} onClick={() => onLeaveOut(id)}>
            <XIcon />
          </button>
        </li>
      ))}
      {machines.length > shown.length && (
        <li>
          <button type="button" className="link" onClick={() => setAll(true)}>
            {t('and {{count}} more', { count: machines.length - shown.length })}
          </button>
        </li>
      )}
    </ul>
  )
}
