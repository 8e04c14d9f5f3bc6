import { type FormEvent, type InputHTMLAttributes, type ReactNode, useId, useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { NativeSelect } from '../../../design/boxes/NativeSelect.tsx'
import { formErrors } from '../../../generic/view/form-errors.ts'
import { ApiError, errorText } from '../../../lib/api.ts'
import styles from './first-run.module.css'

/** Faults by the name of the field; '' for those of no field. */
export type Faults = Readonly<Record<string, string>>

/** The faults of a refused call; what names a field that the form lacks belongs to none. */
function faultsOf(error: unknown, names: readonly string[]): Faults {
  const refused = error instanceof ApiError ? error.fields : undefined
  if (!refused) return { '': errorText(error) }
  const { fields, others } = formErrors(
    refused,
    names.map((name) => ({ name })),
  )
  const named = fields.map(({ path, text }) => [path.join('.'), text])
  return Object.fromEntries(others.length > 0 ? [...named, ['', others.join('; ')]] : named)
}

/**
 * Sends a step: while it runs nothing is sent twice, and what the server refuses is beside its
 * field.
 * @param fields names of the fields that the form shows
 */
export function useStep(fields: readonly string[]) {
  const [isBusy, setBusy] = useState(false)
  const [faults, setFaults] = useState<Faults>({})
  const send = async (work: () => Promise<void>) => {
    if (isBusy) return
    setBusy(true)
    setFaults({})
    try {
      await work()
    } catch (error) {
      setFaults(faultsOf(error, fields))
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, faults, send }
}

interface StepFormProps {
  submit: string
  isBusy: boolean
  faults: Faults
  onSubmit: () => void
  children: ReactNode
  /** Beside the button that sends. */
  more?: ReactNode
}

/** The few fields of a step; Enter sends them. */
export function StepForm({ submit, isBusy, faults, onSubmit, children, more }: StepFormProps) {
  const handleSubmit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form className={styles.firstForm} onSubmit={handleSubmit}>
      <div className={styles.firstFields}>{children}</div>
      {faults[''] && (
        <p className={styles.firstFault} role="alert">
          {faults['']}
        </p>
      )}
      <div className={styles.firstButtons}>
        <Button type="primary" htmlType="submit" loading={isBusy}>
          {submit}
        </Button>
        {more}
      </div>
    </form>
  )
}

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'> {
  label: string
  value: string
  onChange: (value: string) => void
  fault?: string | undefined
  help?: ReactNode
  /** Several lines, as keys have. */
  isLong?: boolean
}

/** A labelled input with what is wrong with it under it. */
export function Field({ label, value, onChange, fault, help, isLong, ...input }: FieldProps) {
  const id = useId()
  const described = { 'aria-invalid': fault !== undefined, 'aria-describedby': fault ? `${id}-fault` : undefined }
  return (
    <div className={styles.firstField}>
      <label htmlFor={id}>{label}</label>
      {isLong ? (
        <textarea id={id} rows={5} required value={value} {...described} onChange={(e) => onChange(e.target.value)} />
      ) : (
        <input {...input} id={id} value={value} {...described} onChange={(e) => onChange(e.target.value)} />
      )}
      {fault && <Fault id={id} text={fault} />}
      {help}
    </div>
  )
}

interface ChoiceProps {
  label: string
  value: string
  onChange: (value: string) => void
  choices: readonly { value: string; label: string }[]
  fault?: string | undefined
}

/** One of a few, with what is wrong with it under it. */
export function Choice({ label, value, onChange, choices, fault }: ChoiceProps) {
  const id = useId()
  return (
    <div className={styles.firstField}>
      <label htmlFor={id}>{label}</label>
      <NativeSelect
        id={id}
        value={value}
        onChange={onChange}
        aria-invalid={fault !== undefined}
        aria-describedby={fault ? `${id}-fault` : undefined}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </NativeSelect>
      {fault && <Fault id={id} text={fault} />}
    </div>
  )
}

const Fault = ({ id, text }: { id: string; text: string }) => (
  <p className={styles.firstFault} role="alert" id={`${id}-fault`}>
    {text}
  </p>
)
