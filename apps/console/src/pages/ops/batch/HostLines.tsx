import type { CommandOutcomes, HostState } from '@sallyport/contract/resources/ops/command-execution.ts'
import { useState } from 'react'
import { Status } from '../../../design/Status.tsx'
import { formatDuration } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import styles from './batch-command.module.css'
import { stateWords, TONES } from './host-states.ts'
import { OutputText } from './OutputText.tsx'
import { type Host, lastLineOf } from './outcome-groups.ts'
import { type LiveOutput, NOTHING_YET } from './use-command-news.ts'

interface HostLinesProps {
  outcomes: CommandOutcomes
  live: ReadonlyMap<string, LiveOutput>
  /** Machines in this state alone; all where it is undefined. */
  only: HostState | undefined
}

/**
 * A line for each machine, in an order that stays, with the last that it wrote: lines fill in, and
 * nothing moves. Each opens into what the machine has written so far.
 */
export function HostLines({ outcomes, live, only }: HostLinesProps) {
  const [open, setOpen] = useState<string>()
  const shown = outcomes.hosts.filter(({ state }) => only === undefined || state === only)
  return (
    <ol className={`panel ${styles.batchHosts}`} aria-label={t('Assets')}>
      {shown.map((host) => (
        <HostLine
          key={host.asset}
          host={host}
          output={outcomes.outputs[host.output] ?? live.get(host.asset) ?? NOTHING_YET}
          isOpen={open === host.asset}
          onToggle={() => setOpen(open === host.asset ? undefined : host.asset)}
        />
      ))}
    </ol>
  )
}

interface HostLineProps {
  host: Host
  output: LiveOutput
  isOpen: boolean
  onToggle: () => void
}

function HostLine({ host, output, isOpen, onToggle }: HostLineProps) {
  const { name, state, error, milliseconds } = host
  const isLive = state === 'running'
  return (
    <li>
      <button type="button" aria-expanded={isOpen} onClick={onToggle}>
        <Status tone={TONES[state]}>{stateWords(state)}</Status>
        <b>{name}</b>
        <code>{error || lastLineOf(output.stdout) || lastLineOf(output.stderr)}</code>
        <span className="quiet">{milliseconds !== null && formatDuration(milliseconds / 1000)}</span>
      </button>
      {isOpen && (
        <div className={styles.batchHost}>
          {error && <p>{error}</p>}
          <OutputText text={output.stdout} label={t('Output')} isLive={isLive} />
          <OutputText text={output.stderr} label={t('Errors')} isError isLive={isLive} />
          {!output.stdout && !output.stderr && <p className="quiet">{t('No output')}</p>}
        </div>
      )}
    </li>
  )
}
