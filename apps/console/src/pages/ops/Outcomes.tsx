import {
  type CommandOutcomes,
  commandExecution,
  type HostState,
} from '@sallyport/contract/resources/ops/command-execution.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { showError } from '../../design/feedback.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { Status, type Tone } from '../../design/Status.tsx'
import { saveFile } from '../../generic/export/save-file.ts'
import { api, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/query.ts'
import { linesOf, type OutcomeGroup, outcomeGroups, textOf } from './outcome-groups.ts'
import type { RunDraft } from './run-draft.ts'

const POLL_MS = 1000
/** So many names of a group are shown before somebody asks for all. */
const NAMES = 12

const TONES: Readonly<Record<HostState, Tone>> = {
  waiting: 'quiet',
  running: 'info',
  success: 'good',
  failed: 'danger',
  skipped: 'warning',
}

const stateWords = (state: HostState): string =>
  ({
    waiting: t('Waiting'),
    running: t('Running'),
    success: t('Succeeded'),
    failed: t('Failed'),
    skipped: t('Skipped'),
  })[state]

interface OutcomesProps {
  run: string
  /** Runs the same once more, where it failed. */
  onRerun: (draft: RunDraft) => void
}

/** What a run has come to: counts, and one block for all machines that answered alike. */
export function Outcomes({ run, onRerun }: OutcomesProps) {
  const address = `${commandExecution.path}${encodeURIComponent(run)}/`
  const [only, setOnly] = useState<HostState>()
  const outcomes = useQuery({
    queryKey: keys.one(`${commandExecution.path}outcomes`, run),
    queryFn: ({ signal }) => api.get<CommandOutcomes>(`${address}outcomes/`, { signal, quiet: true }),
    refetchInterval: ({ state: { data } }) => (data?.is_finished ? false : POLL_MS),
  })
  const ran = useQuery({
    queryKey: keys.one(`${commandExecution.path}command`, run),
    queryFn: ({ signal }) => api.get<Pick<RunDraft, 'command' | 'run_as'>>(address, { signal, quiet: true }),
  })
  if (outcomes.isError) return <LoadFailed error={outcomes.error} onRetry={() => void outcomes.refetch()} />
  if (!outcomes.data) return <Skeleton />
  const { hosts, is_finished: isFinished, error } = outcomes.data
  const groups = outcomeGroups(outcomes.data)
  const failed = hosts.filter(({ state }) => state === 'failed').map(({ asset }) => asset)
  const cancel = () =>
    void api.post(`${address}cancel/`, {}, { quiet: true }).catch((failure: unknown) => showError(errorText(failure)))
  return (
    <section className="batch-outcomes" aria-label={t('Answers')} aria-busy={!isFinished}>
      <header>
        <code className="batch-ran">{ran.data?.command}</code>
        {!isFinished && <Button onClick={cancel}>{t('Stop')}</Button>}
        {isFinished && failed.length > 0 && ran.data && (
          <Button onClick={() => onRerun({ hosts: failed, run_as: ran.data.run_as, command: ran.data.command })}>
            {t('Run again where it failed')}
          </Button>
        )}
        {isFinished && groups.length > 0 && (
          <Button onClick={() => saveFile(new Blob([textOf(groups)], { type: 'text/plain' }), 'batch-command.txt')}>
            {t('Save as file')}
          </Button>
        )}
      </header>
      {error ? (
        <p className="bad" role="alert">
          {error}
        </p>
      ) : (
        <>
          <Counts hosts={hosts} only={only} onOnly={setOnly} />
          {groups
            .filter(({ state }) => only === undefined || state === only)
            .map((group) => (
              <Group key={group.key} group={group} most={groups[0] === group ? undefined : groups[0]} />
            ))}
        </>
      )}
    </section>
  )
}

/** How many machines are where; each count shows its machines alone. */
function Counts(props: {
  hosts: CommandOutcomes['hosts']
  only: HostState | undefined
  onOnly: (state: HostState | undefined) => void
}) {
  const { hosts, only, onOnly } = props
  const counts = Map.groupBy(hosts, ({ state }) => state)
  const states = (Object.keys(TONES) as HostState[]).filter((state) => counts.has(state))
  return (
    <div className="batch-counts" role="status">
      {states.map((state) => (
        <button
          key={state}
          type="button"
          aria-pressed={only === state}
          onClick={() => onOnly(only === state ? undefined : state)}
        >
          <Status tone={TONES[state]}>
            {stateWords(state)} {counts.get(state)?.length}
          </Status>
        </button>
      ))}
    </div>
  )
}

/** The machines that answered alike, and their answer; lines that most others don't have are marked. */
function Group({ group, most }: { group: OutcomeGroup; most: OutcomeGroup | undefined }) {
  const { state, code, error, output, hosts } = group
  const [all, setAll] = useState(false)
  const names = all ? hosts : hosts.slice(0, NAMES)
  return (
    <article className="panel batch-group">
      <h2>
        <Status tone={TONES[state]}>{stateWords(state)}</Status>{' '}
        {hosts.length === 1 ? hosts[0]?.name : t('{{count}} assets', { count: hosts.length })}
        {code !== null && code !== 0 && <span className="quiet"> {t('exit code {{code}}', { code })}</span>}
      </h2>
      {hosts.length > 1 && (
        <p className="batch-names">
          {names.map(({ name }) => name).join(', ')}
          {hosts.length > names.length && (
            <button type="button" className="link" onClick={() => setAll(true)}>
              {t('and {{count}} more', { count: hosts.length - names.length })}
            </button>
          )}
        </p>
      )}
      {error && <p className="bad">{error}</p>}
      {output && <Output text={output.stdout} most={most?.output?.stdout} label={t('Output')} />}
      {output && <Output text={output.stderr} most={most?.output?.stderr} label={t('Errors')} isError />}
      {output?.is_cut && <p className="quiet">{t('Only the beginning of the output was kept.')}</p>}
      {output && !output.stdout && !output.stderr && <p className="quiet">{t('No output')}</p>}
    </article>
  )
}

interface OutputProps {
  text: string
  most: string | undefined
  label: string
  isError?: boolean
}

function Output({ text, most, label, isError = false }: OutputProps) {
  if (!text) return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long output is scrolled with the keyboard too
    <pre role="log" className={isError ? 'batch-errors' : undefined} aria-label={label} tabIndex={0}>
      {linesOf(text, most).map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
        <span key={at}>
          {line.isOther ? <mark>{line.text}</mark> : line.text}
          {'\n'}
        </span>
      ))}
    </pre>
  )
}
