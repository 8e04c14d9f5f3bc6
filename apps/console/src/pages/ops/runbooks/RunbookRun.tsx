import type { Runbook } from '@sallyport/contract/resources/ops/runbook.ts'
import { type RunbookSchedule, runbookSchedule } from '@sallyport/contract/resources/ops/runbook-schedule.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { Button } from '../../../design/Button.tsx'
import { LoadFailed } from '../../../design/LoadFailed.tsx'
import { lazily } from '../../../design/lazily.tsx'
import { Skeleton } from '../../../design/Skeleton.tsx'
import type { DetailProps } from '../../../generic/view/detail-view.ts'
import { api, errorText } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { keys } from '../../../lib/query.ts'
import { scheduleWords } from '../../accounts/schedule-words.ts'
import batchCommand from '../batch/batch-command.module.css'
import { MachineChoice } from '../batch/MachineChoice.tsx'
import { Outcomes } from '../batch/Outcomes.tsx'
import type { RunDraft } from '../batch/run-draft.ts'
import { useGrantedSystemUsers } from '../batch/SystemUserSelect.tsx'
import { useMachines } from '../batch/use-machines.ts'
import { RUN_TAB, SCHEDULE, SCHEDULES_TAB } from '../runbook-address.ts'
import { keptDraft, useKeptDraft } from './kept-draft.ts'
import type { PreviewProps } from './Preview.tsx'
import { RunForm } from './RunForm.tsx'
import runbook from './runbook.module.css'
import type { ScheduleFormProps } from './ScheduleForm.tsx'
import { useRunbookPlan } from './use-runbook-plan.ts'

/** It comes with the first preview. */
const Preview = lazily<PreviewProps>(() => import('./Preview.tsx').then((m) => m.Preview))
const ScheduleForm = lazily<ScheduleFormProps>(() => import('./ScheduleForm.tsx').then((m) => m.ScheduleForm))

/** The run of a runbook; or, where the address names one, a schedule that is changed. */
export function RunbookRun({ row }: DetailProps<Runbook>) {
  const [query] = useSearchParams()
  const id = query.get(SCHEDULE) ?? ''
  const schedule = useQuery({
    queryKey: keys.one(runbookSchedule.path, id),
    queryFn: ({ signal }) =>
      api.get<RunbookSchedule>(`${runbookSchedule.path}${encodeURIComponent(id)}/`, { signal, quiet: true }),
    enabled: Boolean(id),
    // Not what was read before it was changed; and what is shown stays when it is read once more.
    gcTime: 0,
  })
  if (!id) return <Run row={row} />
  if (schedule.isLoadingError) return <LoadFailed error={schedule.error} onRetry={() => void schedule.refetch()} />
  if (!schedule.data) return <Skeleton />
  return <Run key={id} row={row} schedule={schedule.data} />
}

interface RunProps {
  row: Runbook
  schedule?: RunbookSchedule
}

/** Machines at the left; as whom and with which values, what would run, and once it does what comes of it. */
function Run({ row, schedule }: RunProps) {
  const [query, setQuery] = useSearchParams()
  const run = query.get('run') ?? ''
  // Where somebody runs it again, from another page.
  const { state, key } = useLocation()
  const again = state as Partial<Pick<RunDraft, 'hosts' | 'run_as'>> | null
  const [taken, take] = useState(key)
  const { users, first } = useGrantedSystemUsers()
  const [begun] = useState(() => schedule ?? keptDraft(row.id))
  const [chosen, setChosen] = useState(again?.run_as ?? begun?.run_as)
  const systemUser = chosen ?? first
  const [words, setWords] = useState('')
  const machines = useMachines(users.isPending ? undefined : systemUser, words, again?.hosts ?? begun?.hosts)
  // The page may have been there all the while, behind the other one.
  if (again?.hosts && key !== taken) {
    take(key)
    setChosen(again.run_as)
    machines.choose(again.hosts)
  }
  const [given, setGiven] = useState<Readonly<Record<string, string>>>(
    () => (begun?.values ?? {}) as Record<string, string>,
  )
  useKeptDraft(schedule ? undefined : row.id, { hosts: machines.ticked, run_as: chosen, values: given })
  const hosts = machines.machines.map(({ id }) => id)
  // Passwords of accounts are asked of nobody.
  const variables = row.variables.filter(({ kind }) => kind !== 'secret')
  const values = Object.fromEntries(variables.map(({ name, value }) => [name, given[name] ?? value]))
  const wanted = { hosts, run_as: systemUser, values }
  const [isScheduling, setScheduling] = useState(false)
  const plan = useRunbookPlan(row, wanted, (id) => setQuery({ activeTab: RUN_TAB, run: id }, { replace: true }))
  const [missing, setMissing] = useState('')
  const look = () => {
    const lacks = users.isSuccess && !systemUser ? NO_SYSTEM_USER() : hosts.length ? '' : t('Choose assets first.')
    setMissing(lacks)
    if (!lacks) void plan.look()
  }
  const leaveRun = () => setQuery({ activeTab: RUN_TAB }, { replace: true })
  const runAgain = (wanted: RunDraft) => {
    setChosen(wanted.run_as)
    machines.choose(wanted.hosts)
    leaveRun()
  }
  return (
    <div className="with-tree">
      <MachineChoice words={words} onWords={setWords} machines={machines} />
      <div className={`beside-tree ${batchCommand.batchMain}`}>
        {schedule && (
          <p className={runbook.runbookChanging}>
            {t('This changes the schedule “{{times}}”.', { times: scheduleWords({ ...schedule, is_periodic: true }) })}{' '}
            <Button onClick={leaveRun}>{t('Cancel')}</Button>
          </p>
        )}
        <RunForm
          variables={variables}
          systemUsers={users.data ?? []}
          systemUser={systemUser}
          onSystemUser={setChosen}
          values={values}
          onValue={(name, value) => setGiven({ ...given, [name]: value })}
          machines={machines.machines}
          onLeaveOut={machines.leaveOut}
          isBusy={plan.busy === 'look'}
          faults={plan.faults}
          error={missing || (users.error ? errorText(users.error) : '')}
          onLook={look}
        />
        {plan.preview && (
          <Preview
            preview={plan.preview}
            isBusy={plan.busy === 'begin'}
            onRun={() => plan.preview && void plan.begin(plan.preview)}
            onSchedule={() => setScheduling(true)}
            isScheduled={Boolean(schedule)}
          >
            {isScheduling && (
              <ScheduleForm
                runbook={row.id}
                {...(schedule ? { schedule } : {})}
                run={{ ...wanted, version: plan.preview.version }}
                onChanged={(failure) => {
                  setScheduling(false)
                  void plan.refuse(failure)
                }}
                onSaved={() => setQuery({ activeTab: SCHEDULES_TAB }, { replace: true })}
                onCancel={() => setScheduling(false)}
              />
            )}
          </Preview>
        )}
        {run && !plan.preview && <Outcomes key={run} run={run} onRerun={runAgain} />}
      </div>
    </div>
  )
}

const NO_SYSTEM_USER = () => t('No system user of SSH with a stored password or key was granted to you.')
