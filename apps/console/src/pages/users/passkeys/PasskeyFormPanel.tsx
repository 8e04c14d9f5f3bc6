import { type SyntheticEvent, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { Input } from '../../../design/inputs/Input.tsx'
import { SecretInput } from '../../../design/inputs/SecretInput.tsx'
import { ApiError } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { cancelPasskey, passkeyFault } from '../../../lib/passkey.ts'
import styles from './passkeys-panel.module.css'

const MAX_NAME = 64

export interface PasskeyValues {
  name: string
  password: string
}

interface Props {
  help?: string
  /** The name to begin with; none is asked for without. */
  name?: string
  withPassword?: boolean
  okText: string
  danger?: boolean
  onClose: () => void
  /** What it throws is shown, and the form stays. */
  onSubmit: (values: PasskeyValues) => Promise<void>
}

/** The question before a passkey is added, renamed or removed. */
export function PasskeyFormPanel({
  help,
  name: first,
  withPassword = false,
  okText,
  danger = false,
  onClose,
  onSubmit,
}: Props) {
  const [name, setName] = useState(first ?? '')
  const [password, setPassword] = useState('')
  const [fault, setFault] = useState<string>()
  const [working, setWorking] = useState(false)
  const id = useId()
  const isWaiting = useRef(false)
  useEffect(
    () => () => {
      // Closed meanwhile: what the person confirms afterwards must not count.
      if (isWaiting.current) void cancelPasskey()
    },
    [],
  )
  const hasName = first !== undefined
  const isFull = (!hasName || name.trim() !== '') && (!withPassword || password !== '')
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault()
    if (working || !isFull) return
    setWorking(true)
    isWaiting.current = true
    setFault(undefined)
    try {
      await onSubmit({ name: name.trim(), password })
    } catch (error) {
      const wrong = error instanceof ApiError ? error.fields?.password : undefined
      setFault(Array.isArray(wrong) ? String(wrong[0]) : passkeyFault(error))
      setWorking(false)
      isWaiting.current = false
    }
  }
  return (
    <form className={styles.passkeyForm} noValidate onSubmit={(event) => void submit(event)}>
      {help && <p>{help}</p>}
      {hasName && (
        <div>
          <label htmlFor={`${id}-name`}>{t('Name')}</label>
          <Input
            id={`${id}-name`}
            autoFocus
            maxLength={MAX_NAME}
            placeholder={t('For example: Office laptop')}
            value={name}
            onChange={setName}
          />
        </div>
      )}
      {withPassword && (
        <div>
          <label htmlFor={`${id}-password`}>{t('Your password')}</label>
          <SecretInput id={`${id}-password`} autoComplete="current-password" value={password} onChange={setPassword} />
        </div>
      )}
      {fault && (
        <p className="bad" role="alert">
          {fault}
        </p>
      )}
      <p className="buttons">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button type="primary" danger={danger} htmlType="submit" disabled={!isFull} loading={working}>
          {okText}
        </Button>
      </p>
    </form>
  )
}
