import { type FormEvent, useState } from 'react'
import type { PublicSettings } from '../app/session.ts'
import { request } from '../lib/api.ts'
import { t } from '../lib/i18n.ts'
import { Card } from './Card.tsx'
import { PasswordField } from './PasswordField.tsx'
import { refusalText } from './refusal-text.ts'

/** Asks somebody who is signed in for their password once more; the server says where it leads (contract/authentication.yaml `login_page`). */
export function PasswordPage({ settings }: { settings: PublicSettings }) {
  const [password, setPassword] = useState('')
  const [refusal, setRefusal] = useState('')
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setRefusal('')
    try {
      const { next } = await request<{ next: string }>('POST', location.pathname + location.search, { body: { password }, quiet: true })
      location.assign(next)
    } catch (error) {
      setBusy(false)
      setPassword('')
      setRefusal(refusalText(error))
      document.getElementById('password')?.focus()
    }
  }
  return (
    <Card settings={settings} heading={t('Verify password')}>
      <form onSubmit={(event) => void submit(event)}>
        {refusal && (
          <p className="refusal" role="alert">
            {refusal}
          </p>
        )}
        <p>{t('Enter the password that you sign in with, to go on.')}</p>
        <PasswordField
          id="password"
          label={t('Password')}
          autoComplete="current-password"
          autoFocus
          value={password}
          onChange={setPassword}
        />
        <button type="submit" className="primary" disabled={busy}>
          {t('Confirm')}
        </button>
      </form>
      <p className="beside">
        <a href="/ui/">{t('Back to the console')}</a>
      </p>
    </Card>
  )
}
