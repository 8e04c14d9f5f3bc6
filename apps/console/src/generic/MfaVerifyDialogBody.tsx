import './dialogs-body.css'
import { Button, Modal } from 'antd'
import { type SyntheticEvent, useId, useState } from 'react'
import { api, errorText, MFA_PATH } from '../lib/api.ts'
import { t } from '../lib/i18n.ts'
import type { MfaVerifyDialogProps } from './MfaVerifyDialog.tsx'
import { MfaVerifyPasskeyBody } from './MfaVerifyPasskeyBody.tsx'

const CODE_LENGTH = 6
/** antd draws questions at 2000, and one of them may be what wants the factor; its messages are at 2010. */
const ABOVE_QUESTIONS = 2005

/** Asks for the six figures of the authenticator app (spec A5.10 B5.06 B8.16), or for a passkey. */
export function MfaVerifyDialogBody({ onProven, onCancel }: MfaVerifyDialogProps) {
  const [code, setCode] = useState('')
  const [error, setError] = useState<{ reason?: string }>()
  const [checking, setChecking] = useState(false)
  const [hasCode, setHasCode] = useState(true)
  const id = useId()
  const verify = async (event: SyntheticEvent) => {
    event.preventDefault()
    if (checking) return
    if (code.length !== CODE_LENGTH) return setError({})
    setChecking(true)
    try {
      await api.post(MFA_PATH, { code }, { quiet: true })
    } catch (failure) {
      setError({ reason: errorText(failure) })
      setCode('')
      return
    } finally {
      setChecking(false)
    }
    onProven()
  }
  const wrong = t('MFA Error, please check')
  return (
    <Modal open title={t('Verify MFA')} footer={null} width={440} zIndex={ABOVE_QUESTIONS} onCancel={onCancel}>
      {hasCode && (
        <form className="mfa-verify" noValidate onSubmit={verify}>
          <label htmlFor={id}>MFA</label>
          <div>
            <input
              id={id}
              // biome-ignore lint/a11y/noAutofocus: the dialog asks for nothing else
              autoFocus
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={CODE_LENGTH}
              value={code}
              aria-invalid={error !== undefined}
              aria-describedby={`${id}-help`}
              onChange={(event) => {
                setCode(event.target.value.trim())
                setError(undefined)
              }}
            />
            <p id={`${id}-help`} className={error ? 'bad' : undefined} role={error ? 'alert' : undefined}>
              {error ? wrong : t('The six figures that your authenticator app shows now')}
              {error?.reason && error.reason !== wrong && <span>{error.reason}</span>}
            </p>
          </div>
          <Button type="primary" htmlType="submit" loading={checking}>
            {t('Confirm')}
          </Button>
        </form>
      )}
      <MfaVerifyPasskeyBody onProven={onProven} onOnly={() => setHasCode(false)} />
    </Modal>
  )
}
