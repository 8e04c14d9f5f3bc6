import type { Failures, RunCounts } from '@sallyport/contract/resources/ops/adhoc-execution.ts'
import { Named } from '../../design/Named.tsx'
import { StateCell } from '../../generic/cells/StateCell.tsx'
import type { DetailItem, RowState } from '../../generic/view/detail-view.ts'
import type { Row } from '../../lib/api.ts'
import { formatDate, formatDuration } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { runState as stateOfRun } from '../row-states.ts'
import { openTaskLog } from '../windows.ts'
import styles from './task-run.module.css'

/** A run as its own list answers it, and tasks and versions their latest one. */
export interface RunFacts extends Row {
  is_finished?: boolean
  is_success?: boolean
  timedelta?: number | null
  /** A list of machines. */
  last_success?: unknown
  /** `Failures`. */
  last_failure?: unknown
}

/** The latest run of a task or version; undefined where none has begun. */
export const latestOf = (row: { latest_execution?: unknown }): RunFacts | undefined =>
  (row.latest_execution as RunFacts | null | undefined) ?? undefined

/** How it stands with a run, in a word. */
export function runState(run: RunFacts | undefined): RowState {
  if (!run) return { tone: 'quiet', words: t('Never run') }
  return stateOfRun({ isOver: run.is_finished === true, isGood: run.is_success === true })
}

export function RunStatus({ run }: { run: RunFacts | undefined }) {
  return <StateCell {...runState(run)} />
}

/** How long a run took. */
export const secondsOf = (run: RunFacts | undefined): string =>
  run?.timedelta === undefined || run.timedelta === null ? '' : formatDuration(run.timedelta)

/** What details of a task or version say of its latest run. */
export const latestRunItems: readonly DetailItem<Row & { latest_execution?: unknown }>[] = [
  { field: 'last_run', title: msg('Last run'), render: (row) => formatDate(latestOf(row)?.date_finished) },
  { field: 'timedelta', title: msg('Duration'), render: (row) => secondsOf(latestOf(row)) },
  {
    field: 'is_finished',
    title: msg('Finished'),
    render: (row) => latestOf(row) && (latestOf(row)?.is_finished ? t('Yes') : t('No')),
  },
  {
    field: 'is_success',
    title: msg('Success'),
    render: (row) => latestOf(row) && (latestOf(row)?.is_success ? t('Yes') : t('No')),
  },
]

/** On how many machines it worked, failed, and ran. */
export function Counted({ success, failed, total }: RunCounts) {
  return (
    <span title={t('{{success}} succeeded, {{failed}} failed, {{total}} in all', { success, failed, total })}>
      <span className={success ? 'good' : 'quiet'}>{success}</span>
      {' / '}
      <span className={failed ? 'bad' : 'quiet'}>{failed}</span>
      {' / '}
      {total}
    </span>
  )
}

/** The share of machines on which it worked. */
export function Ratio({ success, total }: RunCounts) {
  const percent = total ? Math.floor((success / total) * 100) : 100
  return <span className={percent < 100 ? 'bad' : 'good'}>{percent} %</span>
}

export function OutputLink({ run }: { run: RunFacts | undefined }) {
  if (!run) return null
  return (
    <button type="button" className="link" onClick={() => openTaskLog(String(run.id))}>
      {t('Show the output')}
    </button>
  )
}

/** The machines where a run failed, each with what went wrong, over those where it worked. */
export function RunCards({ run }: { run: RunFacts | undefined }) {
  const failures = Object.entries((run?.last_failure ?? {}) as Failures)
  const successes = (run?.last_success ?? []) as readonly string[]
  return (
    <>
      <section className="panel">
        <h2>{t('Failed assets')}</h2>
        <div className="inside">
          {failures.length === 0 && <p>{t('None')}</p>}
          {failures.map(([host, steps]) => (
            <div key={host} className={styles.runHost}>
              <strong>
                <Named text={host} />
              </strong>
              {Object.entries(steps).map(([step, { msg, stderr }]) => (
                <p key={step} className="bad">
                  {step} =&gt; {msg || stderr}
                </p>
              ))}
            </div>
          ))}
        </div>
      </section>
      <section className="panel">
        <h2>{t('Successful assets')}</h2>
        <div className="inside">
          {successes.length === 0 && <p>{t('None')}</p>}
          {successes.map((host) => (
            <p key={host} className={styles.runHost}>
              <Named text={host} />
            </p>
          ))}
        </div>
      </section>
    </>
  )
}
