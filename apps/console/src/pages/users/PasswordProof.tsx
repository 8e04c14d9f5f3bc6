import '../../generic/dialogs-body.css'
import { type SyntheticEvent, useId, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { LazyDialog } from '../../design/dialogs/lazy-dialog.tsx'
import { api, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'

export interface PasswordProofProps {
  title: string
  onProven: () => void
  onCancel: () => void
}

/**
 * Asks for the own password before something that changes how one signs in
 * (docs/rules/users.md#password_verify).
 */
export function PasswordProof({ title, onProven, onCancel }: PasswordProofProps) {
  const [password, setPassword] = useState('')
  const [reason, setReason] = useState('')
  const [checking, setChecking] = useState(false)
  const id = useId()
  const verify = async (event: SyntheticEvent) => {
    event.preventDefault()
    if (checking || !password) return
    setChecking(true)
    try {
      await api.post('/api/v1/authentication/password/verify/', { password }, { quiet: true })
    } catch (failure) {
      setReason(errorText(failure))
      setPassword('')
      return
    } finally {
      setChecking(false)
    }
    onProven()
  }
  return (
    <LazyDialog title={title} width={440} onClose={onCancel}>
      <form className="mfa-verify" noValidate onSubmit={verify}>
        <label htmlFor={id}>{t('Password')}</label>
        <div>
          <input
            id={id}
            type="password"
            autoComplete="current-password"
            value={password}
            aria-invalid={reason !== ''}
            aria-describedby={`${id}-help`}
            onChange={(event) => {
              setPassword(event.target.value)
              setReason('')
            }}
          />
          <p id={`${id}-help`} className={reason ? 'bad' : undefined} role={reason ? 'alert' : undefined}>
            {reason || t('The password that you sign in with')}
          </p>
        </div>
        <Button type="primary" htmlType="submit" loading={checking} disabled={!password}>
          {t('Confirm')}
        </Button>
      </form>
    </LazyDialog>
  )
}
