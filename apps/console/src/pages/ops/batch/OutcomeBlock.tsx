import { useState } from 'react'
import { Status } from '../../../design/Status.tsx'
import { LinkedWords } from '../../../generic/cells/link-cell.tsx'
import { t } from '../../../lib/i18n.ts'
import { ticketAddress } from '../../tickets/ticket-address.ts'
import styles from './batch-command.module.css'
import { stateWords, TONES } from './host-states.ts'
import { OutputText } from './OutputText.tsx'
import type { OutcomeGroup } from './outcome-groups.ts'

/** So many names of a group are shown before somebody asks for all. */
const NAMES = 12

interface OutcomeBlockProps {
  group: OutcomeGroup
  /** The largest group, where it is another. */
  most: OutcomeGroup | undefined
}

/** The machines that answered alike, and their answer; lines that most others don't have are marked. */
export function OutcomeBlock({ group, most }: OutcomeBlockProps) {
  const { state, code, error, output, hosts } = group
  const [all, setAll] = useState(false)
  const names = all ? hosts : hosts.slice(0, NAMES)
  const isLive = state === 'running'
  return (
    <article className={`panel ${styles.batchGroup}`}>
      <h2>
        <Status tone={TONES[state]}>{stateWords(state)}</Status>{' '}
        {hosts.length > 1 ? t('{{count}} assets', { count: hosts.length }) : hosts[0]?.name}
        {code !== null && code !== 0 && <span className="quiet"> {t('exit code {{code}}', { code })}</span>}
      </h2>
      {hosts.length > 1 && (
        <p className={styles.batchNames}>
          {names.map(({ name }) => name).join(', ')}
          {hosts.length > names.length && (
            <button type="button" className="link" onClick={() => setAll(true)}>
              {t('and {{count}} more', { count: hosts.length - names.length })}
            </button>
          )}
        </p>
      )}
      {error && <p className={state === 'held' ? undefined : 'bad'}>{error}</p>}
      {state === 'held' && <TicketLink id={hosts[0]?.ticket} />}
      {output && (
        <>
          <OutputText text={output.stdout} most={most?.output?.stdout} label={t('Output')} isLive={isLive} />
          <OutputText text={output.stderr} most={most?.output?.stderr} label={t('Errors')} isError isLive={isLive} />
        </>
      )}
      {output?.is_cut && <p className="quiet">{t('Only the beginning of the output was kept.')}</p>}
      {output && !isLive && !output.stdout && !output.stderr && <p className="quiet">{t('No output')}</p>}
    </article>
  )
}

function TicketLink({ id }: { id: string | null | undefined }) {
  const address = id ? ticketAddress({ id, type: 'command_confirm' }) : undefined
  return address ? (
    <p>
      <LinkedWords to={address}>{t('Open the ticket')}</LinkedWords>
    </p>
  ) : null
}
