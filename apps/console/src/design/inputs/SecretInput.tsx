import { EyeIcon, EyeOffIcon } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { Input, type InputProps } from './Input.tsx'

/** A secret, hidden until it is asked to show. */
export function SecretInput(props: Omit<InputProps, 'type' | 'end'>) {
  const [isShown, setShown] = useState(false)
  const words = isShown ? t('Hide') : t('Show')
  return (
    <Input
      autoComplete="new-password"
      {...props}
      type={isShown ? 'text' : 'password'}
      spellCheck={false}
      end={
        <button
          type="button"
          tabIndex={-1}
          aria-label={words}
          title={words}
          disabled={props.disabled}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? <EyeOffIcon /> : <EyeIcon />}
        </button>
      }
    />
  )
}
