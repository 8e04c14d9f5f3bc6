import { BATCH_COMMAND_MAX } from '@sallyport/contract/resources/ops/command-execution.ts'
import { type FormEvent, useId } from 'react'
import type { FormContext } from '../../../generic/view/form-view.ts'
import { Code } from '../../../generic/widgets/code/Code.tsx'
import { t } from '../../../lib/i18n.ts'
import styles from './batch-command.module.css'
import { RunBar } from './RunBar.tsx'
import { type GrantedSystemUser, SystemUserSelect } from './SystemUserSelect.tsx'
import type { Machine } from './use-machines.ts'

const CONTEXT: FormContext = { mode: 'create', row: undefined, query: new URLSearchParams() }

interface CommandFormProps {
  systemUsers: readonly GrantedSystemUser[]
  systemUser: string
  onSystemUser: (id: string) => void
  command: string
  onCommand: (command: string) => void
  /** Those that are ticked. */
  machines: readonly Machine[]
  onLeaveOut: (id: string) => void
  busy: boolean
  /** What went wrong, or is still missing; empty where nothing is. */
  error: string
  onExecute: () => void
}

/** As whom, what, and the button. */
export function CommandForm(props: CommandFormProps) {
  const { systemUsers, systemUser, onSystemUser, command, onCommand, busy, error, onExecute } = props
  const id = useId()
  const handleSubmit = (event: FormEvent) => {
    event.preventDefault()
    onExecute()
  }
  return (
    <form className="panel inside" onSubmit={handleSubmit}>
      <SystemUserSelect systemUsers={systemUsers} value={systemUser} onChange={onSystemUser} />
      {/* Not around the editor, whose colored text would be part of its name. */}
      <div className={styles.batchLine}>
        <label htmlFor={`${id}-command`}>{t('Command')}</label>
        <Code
          id={`${id}-command`}
          value={command}
          onChange={(line) => onCommand(line ?? '')}
          context={CONTEXT}
          field={{ name: 'command', label: t('Command'), type: 'text', max_length: BATCH_COMMAND_MAX }}
        />
      </div>
      <RunBar
        text={t('Run@@action')}
        machines={props.machines}
        onLeaveOut={props.onLeaveOut}
        isBusy={busy}
        wrong={error ? [error] : []}
      />
    </form>
  )
}
