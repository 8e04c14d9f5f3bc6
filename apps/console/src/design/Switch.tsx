import type { ButtonHTMLAttributes } from 'react'

interface SwitchProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'onChange' | 'type'> {
  checked: boolean
  onChange: (checked: boolean) => void
  /** What it changed is not stored yet. */
  loading?: boolean
}

/** On or off, at once. Name it by `aria-label` or a label around it. */
export function Switch({ checked, onChange, loading, disabled, className = '', ...rest }: SwitchProps) {
  return (
    <button
      {...rest}
      type="button"
      role="switch"
      className={`switch ${className}`}
      aria-checked={checked}
      aria-busy={loading || undefined}
      disabled={disabled || loading}
      onClick={() => onChange(!checked)}
    />
  )
}
