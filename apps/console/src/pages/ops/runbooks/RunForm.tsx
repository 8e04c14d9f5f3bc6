import type { RunbookVariable } from '@sallyport/contract/resources/ops/runbook.ts'
import { useId } from 'react'
import { Input } from '../../../design/inputs/Input.tsx'
import { t } from '../../../lib/i18n.ts'
import { RunBar } from '../batch/RunBar.tsx'
import { type GrantedSystemUser, SystemUserSelect } from '../batch/SystemUserSelect.tsx'
import type { Machine } from '../batch/use-machines.ts'
import styles from './runbook.module.css'
import type { PlanFaults } from './use-runbook-plan.ts'

interface RunFormProps {
  variables: readonly RunbookVariable[]
  systemUsers: readonly GrantedSystemUser[]
  systemUser: string
  onSystemUser: (id: string) => void
  values: Readonly<Record<string, string>>
  onValue: (name: string, value: string) => void
  /** Those that are ticked. */
  machines: readonly Machine[]
  onLeaveOut: (id: string) => void
  isBusy: boolean
  faults: PlanFaults
  /** The missing parts, in words; empty where nothing is missing. */
  error: string
  onLook: () => void
}

/** As whom, and with which values; the button only shows what would run. */
export function RunForm(props: RunFormProps) {
  const { variables, systemUsers, systemUser, onSystemUser, values, onValue, isBusy, faults, error } = props
  const wrong = [error, faults.hosts, faults.run_as, faults.other].filter((text): text is string => Boolean(text))
  return (
    <form
      className="panel inside"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        props.onLook()
      }}
    >
      <SystemUserSelect systemUsers={systemUsers} value={systemUser} onChange={onSystemUser} />
      {variables.map((variable) => (
        <Value
          key={variable.name}
          variable={variable}
          value={values[variable.name] ?? ''}
          fault={faults.values[variable.name]}
          onChange={(value) => onValue(variable.name, value)}
        />
      ))}
      <RunBar
        text={t('Preview')}
        machines={props.machines}
        onLeaveOut={props.onLeaveOut}
        isBusy={isBusy}
        wrong={wrong}
      />
    </form>
  )
}

interface ValueProps {
  variable: RunbookVariable
  value: string
  fault: string | undefined
  onChange: (value: string) => void
}

function Value({ variable: { name, label }, value, fault, onChange }: ValueProps) {
  const id = useId()
  return (
    <div className={styles.runbookValue}>
      <label htmlFor={id}>{label || name}</label>
      <Input
        id={id}
        value={value}
        maxLength={512}
        spellCheck={false}
        aria-required
        aria-invalid={fault ? true : undefined}
        aria-describedby={fault ? `${id}-fault` : undefined}
        onChange={onChange}
      />
      {fault && (
        <p className="bad" role="alert" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  )
}
