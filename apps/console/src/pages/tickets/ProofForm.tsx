import { type SyntheticEvent, useId, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { Input } from '../../design/inputs/Input.tsx'
import { ApiError, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import styles from './tickets.module.css'

/** The proof that is due; the server asks for the second factor by itself. */
export type DueProof = 'none' | 'mfa' | 'password' | 'sign_in'

interface ProofFormProps {
  proof: DueProof
  words: string
  danger?: boolean
  /** Rejected with what the person reads. */
  send: (body: { password?: string }) => Promise<unknown>
  /** After each attempt. */
  onDone: () => Promise<unknown>
}

/** One button, behind the password where that is due. */
export function ProofForm({ proof, words, danger = false, send, onDone }: ProofFormProps) {
  const [password, setPassword] = useState('')
  const [refusal, setRefusal] = useState('')
  const [sending, setSending] = useState(false)
  const id = useId()
  const needsPassword = proof === 'password'
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault()
    if (sending || (needsPassword && !password)) return
    setSending(true)
    setRefusal('')
    try {
      await send(needsPassword ? { password } : {})
    } catch (error) {
      const wrong = error instanceof ApiError ? error.fields?.password : undefined
      setRefusal(wrong ? String(wrong) : errorText(error))
    } finally {
      setPassword('')
      setSending(false)
      await onDone()
    }
  }
  return (
    <form noValidate onSubmit={submit}>
      {needsPassword && (
        <div className={styles.proof}>
          <label htmlFor={id}>{t('Password')}</label>
          <Input
            id={id}
            type="password"
            autoComplete="current-password"
            value={password}
            aria-invalid={refusal !== ''}
            aria-describedby={`${id}-help`}
            onChange={setPassword}
          />
        </div>
      )}
      <Button type="primary" htmlType="submit" danger={danger} loading={sending} disabled={needsPassword && !password}>
        {words}
      </Button>
      <p id={`${id}-help`} className={refusal ? 'bad' : styles.noRefusal} role={refusal ? 'alert' : undefined}>
        {refusal}
      </p>
    </form>
  )
}
