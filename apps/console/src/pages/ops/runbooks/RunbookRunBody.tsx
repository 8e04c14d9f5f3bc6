import '../../../generic/widgets/widgets-body.css'
import '../batch/batch-command.css'
import './runbook.css'
import type { Runbook } from '@sallyport/contract/resources/ops/runbook.ts'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import type { DetailProps } from '../../../generic/view/detail-view.ts'
import { errorText } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { MachineChoice } from '../batch/MachineChoice.tsx'
import { Outcomes } from '../batch/Outcomes.tsx'
import type { RunDraft } from '../batch/run-draft.ts'
import { useGrantedSystemUsers } from '../batch/SystemUserSelect.tsx'
import { useMachines } from '../batch/use-machines.ts'
import { RUN_TAB, SCHEDULES_TAB } from '../runbook-address.ts'
import { Preview } from './Preview.tsx'
import { RunForm } from './RunForm.tsx'
import { ScheduleForm } from './ScheduleForm.tsx'
import { useRunbookPlan } from './use-runbook-plan.ts'

/** Machines at the left; as whom and with which values, what would run, and once it does what comes of it. */
export function RunbookRunBody({ row }: DetailProps<Runbook>) {
  const [query, setQuery] = useSearchParams()
  const run = query.get('run') ?? ''
  // Where somebody runs it again, from another page.
  const { state, key } = useLocation()
  const again = state as Partial<Pick<RunDraft, 'hosts' | 'run_as'>> | null
  const [taken, take] = useState(key)
  const { users, first } = useGrantedSystemUsers()
  const [chosen, setChosen] = useState(again?.run_as)
  const systemUser = chosen ?? first
  const [words, setWords] = useState('')
  const machines = useMachines(users.isPending ? undefined : systemUser, words, again?.hosts)
  // The page may have been there all the while, behind the other one.
  if (again?.hosts && key !== taken) {
    take(key)
    setChosen(again.run_as)
    machines.choose(again.hosts)
  }
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({})
  const hosts = machines.machines.map(({ id }) => id)
  const values = Object.fromEntries(row.variables.map(({ name, value }) => [name, given[name] ?? value]))
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
      <div className="beside-tree batch-main">
        <RunForm
          variables={row.variables}
          systemUsers={users.data ?? []}
          systemUser={systemUser}
          onSystemUser={setChosen}
          values={values}
          onValue={(name, value) => setGiven({ ...given, [name]: value })}
          count={hosts.length}
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
          >
            {isScheduling && (
              <ScheduleForm
                runbook={row.id}
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
