import type { RunbookPreview } from '@sallyport/contract/resources/ops/runbook.ts'
import { sizeText } from '@sallyport/contract/size-text.ts'
import { Fragment, type ReactNode, useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { Status } from '../../../design/Status.tsx'
import { t } from '../../../lib/i18n.ts'
import { nameOf } from '../../../lib/name-of.ts'
import batchCommand from '../batch/batch-command.module.css'
import { TONES } from '../batch/host-states.ts'
import runbook from './runbook.module.css'

type Text = RunbookPreview['commands'][number]
type State = Text['hosts'][number]['state']

/** So many texts are shown before somebody asks for all: with facts of machines each has its own. */
const TEXTS = 20

export interface PreviewProps {
  preview: RunbookPreview
  isBusy: boolean
  onRun: () => void
  /** Has it run at times instead. */
  onSchedule: () => void
  /** Whether the preview is of a schedule that is being changed. */
  isScheduled?: boolean
  /** Below the buttons. */
  children?: ReactNode
}

/** What would run on which machines, as whom, and what the command rules say of it. */
export function Preview({ preview, isBusy, onRun, onSchedule, isScheduled, children }: PreviewProps) {
  const { version, run_as_display: user, commands, files, secrets } = preview
  const [all, setAll] = useState(false)
  const hosts = commands.flatMap((text) => text.hosts)
  const count = hosts.filter(({ state }) => state !== 'skipped').length
  const shown = all ? commands : commands.slice(0, TEXTS)
  return (
    <section className={batchCommand.batchOutcomes} aria-label={t('Planned run')}>
      <header>
        <p className={runbook.runbookAs} role="status">
          {t('Nothing has run yet. Version {{version}} would run as {{user}} on {{count|asset|assets}}.', {
            version,
            user: nameOf(user),
            count,
          })}
        </p>
        <Button {...(isScheduled ? { type: 'primary' } : {})} onClick={onSchedule}>
          {isScheduled ? t('Change the schedule') : t('Run by schedule')}
        </Button>
        {!isScheduled && (
          <Button type="primary" loading={isBusy} disabled={count === 0} onClick={onRun}>
            {t('Run on {{count|asset|assets}}', { count })}
          </Button>
        )}
      </header>
      {children}
      {(files.length > 0 || secrets.length > 0) && (
        <section className={`panel inside ${runbook.runbookHanded}`}>
          {files.map(({ step, name, size, path, mode, owner, sha256 }) => (
            <p key={step}>
              {t('Step {{step}} puts {{file}}', {
                step,
                file: [`${name} (${sizeText(size)}) → ${path}`, mode, owner].filter(Boolean).join(' · '),
              })}{' '}
              <code>sha256 {sha256.slice(0, 16)}…</code>
            </p>
          ))}
          {secrets.map(({ name, account }) => (
            <p key={name}>
              <code>${name}</code>: {t('Password of {{account}}', { account })}
            </p>
          ))}
        </section>
      )}
      {shown.map((text) => (
        <PreviewText key={text.hosts[0]?.asset} text={text} />
      ))}
      {commands.length > shown.length && (
        <button type="button" className="link" onClick={() => setAll(true)}>
          {t('and {{count}} more', { count: commands.length - shown.length })}
        </button>
      )}
    </section>
  )
}

/** One text with its machines, those that fare alike together. */
function PreviewText({ text: { command, hosts } }: { text: Text }) {
  const groups = Map.groupBy(hosts, ({ state, reason }) => `${state} ${reason}`)
  return (
    <article className={`panel ${batchCommand.batchGroup} ${runbook.runbookText}`}>
      {[...groups].map(([key, alike]) => {
        const { state, reason } = alike[0] ?? { state: 'waiting', reason: '' }
        return (
          <Fragment key={key}>
            <h2>
              <Status tone={TONES[state]}>{stateWords(state)}</Status>{' '}
              {alike.length > 1 ? t('{{count}} assets', { count: alike.length }) : alike[0]?.name}
            </h2>
            {alike.length > 1 && <p className={batchCommand.batchNames}>{alike.map(({ name }) => name).join(', ')}</p>}
            {reason && <p className={state === 'skipped' ? 'bad' : undefined}>{reason}</p>}
          </Fragment>
        )
      })}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long command is scrolled with the keyboard too */}
      <pre tabIndex={0}>{command}</pre>
    </article>
  )
}

const stateWords = (state: State): string =>
  ({ waiting: t('Would run'), held: t('Would be confirmed first'), skipped: t('Would be skipped') })[state]
