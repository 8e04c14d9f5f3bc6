import { type ReactNode, useId } from 'react'
import { Input, type InputProps } from '../../design/inputs/Input.tsx'
import { SecretInput } from '../../design/inputs/SecretInput.tsx'
import styles from './moving.module.css'

interface MoveFieldProps {
  label: string
  fault?: string | undefined
  help?: string
  /** Draws the control under the label, by what names and describes it. */
  children: (control: { id: string; 'aria-invalid': boolean; 'aria-describedby': string | undefined }) => ReactNode
}

/** A control under its label, with help and what is wrong with it. */
export function MoveField({ label, fault, help, children }: MoveFieldProps) {
  const id = useId()
  const described = [help && `${id}-help`, fault && `${id}-fault`].filter(Boolean).join(' ') || undefined
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-invalid': fault !== undefined, 'aria-describedby': described })}
      {help && (
        <small id={`${id}-help`} className="quiet">
          {help}
        </small>
      )}
      {fault && (
        <small id={`${id}-fault`} className={styles.fault} role="alert">
          {fault}
        </small>
      )}
    </div>
  )
}

interface TextFieldProps extends Omit<MoveFieldProps, 'children'>, Pick<InputProps, 'placeholder' | 'inputMode'> {
  value: string
  onChange: (value: string) => void
  isSecret?: boolean
}

export function TextField({ label, fault, help = '', isSecret, ...input }: TextFieldProps) {
  const Box = isSecret ? SecretInput : Input
  return (
    <MoveField label={label} fault={fault} help={help}>
      {(control) => <Box {...input} {...control} />}
    </MoveField>
  )
}
