import type { ButtonHTMLAttributes } from 'react'
import { namesOf } from '../names.ts'
import { explained } from '../tip.ts'
import styles from './Switch.module.css'

interface SwitchProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'onChange' | 'type'> {
  checked: boolean
  onChange: (checked: boolean) => void
  /** What it changed is not stored yet: it stays as it is, and keeps the focus. */
  loading?: boolean
  /** Why it cannot be changed now; see `Button`. */
  whyDisabled?: string | undefined
}

/** On or off, at once. Name it by `aria-label` or a label around it. */
export function Switch({ checked, onChange, loading, disabled, whyDisabled, className, ...rest }: SwitchProps) {
  return (
    <button
      {...rest}
      type="button"
      role="switch"
      className={namesOf([styles.switch, className])}
      aria-checked={checked}
      aria-busy={loading || undefined}
      disabled={disabled}
      {...explained(whyDisabled)}
      onClick={() => !whyDisabled && !loading && onChange(!checked)}
    />
  )
}
