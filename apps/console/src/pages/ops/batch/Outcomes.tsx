import {
  type CommandExecution,
  type CommandOutcomes,
  commandExecution,
  type HostState,
} from '@sallyport/contract/resources/ops/command-execution.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { showError } from '../../../design/dialogs/feedback.tsx'
import { LoadFailed } from '../../../design/LoadFailed.tsx'
import { lazily } from '../../../design/lazily.tsx'
import { Skeleton } from '../../../design/Skeleton.tsx'
import { Status } from '../../../design/Status.tsx'
import { api, errorText } from '../../../lib/api.ts'
import { formatDate } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { nameOf } from '../../../lib/name-of.ts'
import { keys } from '../../../lib/query.ts'
import { saveFile } from '../../../lib/save-file.ts'
import styles from './batch-command.module.css'
import type { CompareHostsProps } from './CompareHosts.tsx'
import { HostLines } from './HostLines.tsx'
import { stateWords, TONES } from './host-states.ts'
import { OutcomeBlock } from './OutcomeBlock.tsx'
import { type OutcomeGroup, outcomeGroups, textOf } from './outcome-groups.ts'
import type { RunDraft } from './run-draft.ts'
import { type LiveOutput, useCommandNews } from './use-command-news.ts'
import { useSteadyOrder } from './use-steady-order.ts'

/** It comes with the outcomes of a run. */
const CompareHosts = lazily<CompareHostsProps>(() => import('./CompareHosts.tsx').then((m) => m.CompareHosts))

/** How often outcomes are read while the server tells what is new, in case it is not heard, and otherwise. */
const LOOK_MS = 15_000
const POLL_MS = 1000

type Ran = Pick<
  CommandExecution,
  'command' | 'run_as' | 'run_as_display' | 'date_created' | 'runbook' | 'runbook_display'
>

interface OutcomesProps {
  run: string
  /** Runs the same once more, where it failed. */
  onRerun: (draft: RunDraft) => void
}

/** The result of a run: counts, a line for each machine, and one block for all that answered alike. */
export function Outcomes({ run, onRerun }: OutcomesProps) {
  const address = `${commandExecution.path}${encodeURIComponent(run)}/`
  const [only, setOnly] = useState<HostState>()
  const { live, isConnected } = useCommandNews(run, () => void outcomes.refetch())
  const outcomes = useQuery({
    queryKey: keys.one(`${commandExecution.path}outcomes`, run),
    queryFn: ({ signal }) => api.get<CommandOutcomes>(`${address}outcomes/`, { signal, quiet: true }),
    refetchInterval: ({ state: { data } }) => !data?.is_finished && (isConnected ? LOOK_MS : POLL_MS),
  })
  const ran = useQuery({
    queryKey: keys.one(`${commandExecution.path}command`, run),
    queryFn: ({ signal }) => api.get<Ran>(address, { query: { fields_size: 'small' }, signal, quiet: true }),
  })
  const groups = outcomes.data ? groupsOf(outcomes.data, live) : []
  const inPlace = useSteadyOrder(groups)
  if (outcomes.isLoadingError) return <LoadFailed error={outcomes.error} onRetry={() => void outcomes.refetch()} />
  if (!outcomes.data) return <Skeleton />
  const { hosts, is_finished: isFinished, error } = outcomes.data
  const failed = hosts.filter(({ state }) => state === 'failed').map(({ asset }) => asset)
  // A run of a deleted runbook holds names where values were.
  const canRerun = ran.data && (!ran.data.runbook_display || ran.data.runbook)
  const rerun = ({ run_as, command, runbook }: Ran) => onRerun({ hosts: failed, run_as, command, runbook })
  const cancel = () =>
    void api.post(`${address}cancel/`, {}, { quiet: true }).catch((failure: unknown) => showError(errorText(failure)))
  return (
    <section className={styles.batchOutcomes} aria-label={t('Output@@column')} aria-busy={!isFinished}>
      <header>
        <code className={styles.batchRan}>{ran.data?.runbook_display || ran.data?.command}</code>
        {!isFinished && <Button onClick={cancel}>{t('Stop')}</Button>}
        {isFinished && failed.length > 0 && canRerun && (
          <Button onClick={() => rerun(ran.data)}>{t('Run again on failed assets')}</Button>
        )}
        {isFinished && groups.length > 0 && (
          <Button onClick={() => saveFile(new Blob([textOf(groups)], { type: 'text/plain' }), 'batch-command.txt')}>
            {t('Save as file')}
          </Button>
        )}
      </header>
      {ran.data && (
        <p className="quiet">
          {t('As {{user}}, {{date}}', {
            user: nameOf(ran.data.run_as_display),
            date: formatDate(ran.data.date_created),
          })}
        </p>
      )}
      {error ? (
        <p className="bad" role="alert">
          {error}
        </p>
      ) : (
        <>
          <Counts hosts={hosts} only={only} onOnly={setOnly} />
          {hosts.length > 1 && <HostLines outcomes={outcomes.data} live={live} only={only} />}
          <CompareHosts groups={groups} />
          {inPlace
            .filter(({ state }) => only === undefined || state === only)
            .map((group) => (
              <OutcomeBlock key={group.key} group={group} most={groups[0] === group ? undefined : groups[0]} />
            ))}
        </>
      )}
    </section>
  )
}

/** A machine alone has one block from the beginning, which fills in. */
function groupsOf(outcomes: CommandOutcomes, live: ReadonlyMap<string, LiveOutput>): OutcomeGroup[] {
  const [host, another] = outcomes.hosts
  if (!host || another) return outcomeGroups(outcomes)
  const { state, code, error, asset } = host
  const written = live.get(asset)
  const output = outcomes.outputs[host.output] ?? (written && { ...written, is_cut: false })
  return [{ key: asset, state, code, error, output, hosts: [host] }]
}

/** How many machines are where; each count shows its machines alone. */
function Counts(props: {
  hosts: CommandOutcomes['hosts']
  only: HostState | undefined
  onOnly: (state: HostState | undefined) => void
}) {
  const { hosts, only, onOnly } = props
  const counts = Map.groupBy(hosts, ({ state }) => state)
  // A pressed filter stays, or nobody could release it once no machine is in that state any more.
  const states = (Object.keys(TONES) as HostState[]).filter((state) => counts.has(state) || state === only)
  return (
    <div className={styles.batchCounts} role="status">
      {states.map((state) => (
        <button
          key={state}
          type="button"
          aria-pressed={only === state}
          onClick={() => onOnly(only === state ? undefined : state)}
        >
          <Status tone={TONES[state]}>
            {stateWords(state)} {counts.get(state)?.length ?? 0}
          </Status>
        </button>
      ))}
    </div>
  )
}
