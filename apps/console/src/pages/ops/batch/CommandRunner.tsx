import { commandExecution } from '@sallyport/contract/resources/ops/command-execution.ts'
import { SquareTerminalIcon } from 'lucide-react'
import { useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { EmptyState } from '../../../design/EmptyState.tsx'
import { TabPage } from '../../../generic/detail/TabPage.tsx'
import { api, errorText } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { PageFrame } from '../../../navigation/PageFrame.tsx'
import type { PageProps } from '../../page-props.ts'
import { runAddress } from '../runbook-address.ts'
import styles from './batch-command.module.css'
import { CommandForm } from './CommandForm.tsx'
import { MachineChoice } from './MachineChoice.tsx'
import { Outcomes } from './Outcomes.tsx'
import { RunHistory } from './RunHistory.tsx'
import type { RunDraft } from './run-draft.ts'
import { useGrantedSystemUsers } from './SystemUserSelect.tsx'
import { useMachines } from './use-machines.ts'

/** Its name in the address. */
const RUN_TAB = 'run'

/**
 * One command on many machines (A2.45 A2.65): machines at the left, the command above, and below what became of it
 * on each.
 */
export function CommandRunner({ title }: PageProps) {
  const [query, setQuery] = useSearchParams()
  const navigate = useNavigate()
  const run = query.get('run') ?? ''
  const { users, first } = useGrantedSystemUsers()
  const [chosen, setChosen] = useState<string>()
  const systemUser = chosen ?? first
  const [words, setWords] = useState('')
  const machines = useMachines(users.isPending ? undefined : systemUser, words)
  const [command, setCommand] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const draft: RunDraft = { hosts: machines.machines.map(({ id }) => id), run_as: systemUser, command }

  const begin = async (wanted: RunDraft) => {
    const missing = missingIn(wanted, users.isSuccess)
    setError(missing)
    if (missing) return
    setBusy(true)
    try {
      const { id } = await api.post<{ id: string }>(commandExecution.path, wanted, { quiet: true })
      setQuery({ activeTab: RUN_TAB, run: id }, { replace: true })
    } catch (failure) {
      setError(errorText(failure))
    } finally {
      setBusy(false)
    }
  }
  const runAgain = ({ runbook, ...wanted }: RunDraft) => {
    // Its steps may be others by now, and values are asked for there.
    if (runbook) {
      const { hosts, run_as } = wanted
      return void navigate(runAddress(runbook) ?? '', { state: { hosts, run_as } })
    }
    setChosen(wanted.run_as)
    setCommand(wanted.command)
    machines.choose(wanted.hosts)
    void begin(wanted)
  }

  const runTab = () => (
    <div className="with-tree">
      <MachineChoice words={words} onWords={setWords} machines={machines} />
      <div className={`beside-tree ${styles.batchMain}`}>
        <CommandForm
          systemUsers={users.data ?? []}
          systemUser={systemUser}
          onSystemUser={setChosen}
          command={command}
          onCommand={setCommand}
          machines={machines.machines}
          onLeaveOut={machines.leaveOut}
          busy={busy}
          error={error || (users.error ? errorText(users.error) : '')}
          onExecute={() => void begin(draft)}
        />
        {run ? (
          <Outcomes key={run} run={run} onRerun={runAgain} />
        ) : (
          <EmptyState icon={<SquareTerminalIcon />} title={t('Nothing has been run yet')}>
            {t(
              'Choose assets, write a command, and run it: output appears as it comes, and a run ends after 60 seconds.',
            )}
          </EmptyState>
        )}
      </div>
    </div>
  )

  return (
    <PageFrame title={title} lead={t('One command on many assets. Equal output is shown once.')}>
      <TabPage
        tabs={[
          { name: RUN_TAB, title: t('Run@@action'), content: runTab },
          { name: 'history', title: t('History'), content: () => <RunHistory tab={RUN_TAB} inAddress /> },
        ]}
      />
    </PageFrame>
  )
}

/** The missing choice, in words; empty when nothing is missing. A lack of system users is shown once it is known. */
function missingIn({ hosts, run_as, command }: RunDraft, isKnown: boolean): string {
  if (isKnown && !run_as) return t('No system user of SSH with a stored password or key was granted to you.')
  if (!hosts.length) return t('Choose assets first.')
  return command.trim() ? '' : t('Write a command first.')
}
