import { useState } from 'react'
import { t } from '../../lib/i18n.ts'

interface PasswordFieldProps {
  id: string
  label: string
  value: string
  onChange: (value: string) => void
  autoComplete: 'current-password' | 'new-password'
  autoFocus?: boolean
  fault?: string | undefined
}

/** A password box whose text can be shown. */
export function PasswordField({ id, label, value, onChange, autoComplete, autoFocus, fault }: PasswordFieldProps) {
  const [shown, setShown] = useState(false)
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="with-button">
        <input
          id={id}
          name={id}
          type={shown ? 'text' : 'password'}
          required
          autoComplete={autoComplete}
          // biome-ignore lint/a11y/noAutofocus: the page has one thing to do
          autoFocus={autoFocus}
          value={value}
          aria-invalid={fault !== undefined}
          aria-describedby={fault ? `${id}-fault` : undefined}
          onChange={(event) => onChange(event.target.value)}
        />
        <button type="button" aria-pressed={shown} onClick={() => setShown(!shown)}>
          {shown ? t('Hide') : t('Show')}
        </button>
      </div>
      {fault && (
        <p className="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  )
}
