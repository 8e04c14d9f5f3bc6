import { type FormEvent, useState } from 'react'
import type { PublicSettings } from '../app/session.ts'
import { ApiError, errorText, LOGIN_PATH, request } from '../lib/api.ts'
import { t } from '../lib/i18n.ts'
import { Card } from './Card.tsx'

/** Asks for a link to a new password; what is answered does not depend on who the address belongs to. */
export function ForgotPasswordPage({ settings }: { settings: PublicSettings }) {
  const [email, setEmail] = useState('')
  const [refusal, setRefusal] = useState('')
  const [sent, setSent] = useState('')
  const [busy, setBusy] = useState(false)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setRefusal('')
    try {
      const { msg } = await request<{ msg: string }>('POST', location.pathname, { body: { email: email.trim() }, quiet: true })
      setSent(msg)
    } catch (error) {
      const fields = error instanceof ApiError ? error.fields : undefined
      setRefusal(fields ? Object.values(fields).flat().join('; ') : errorText(error))
      document.getElementById('email')?.focus()
    } finally {
      setBusy(false)
    }
  }
  return (
    <Card settings={settings} heading={t('Forgot password')}>
      {sent ? (
        <p role="status">{sent}</p>
      ) : (
        <form onSubmit={(event) => void submit(event)} noValidate>
          {refusal && (
            <p className="refusal" role="alert">
              {refusal}
            </p>
          )}
          <div className="field">
            <label htmlFor="email">{t('Your email address')}</label>
            <input
              id="email"
              name="email"
              type="email"
              required
              autoComplete="email"
              // biome-ignore lint/a11y/noAutofocus: the page has one thing to do
              autoFocus
              value={email}
              aria-invalid={refusal !== ''}
              onChange={(event) => setEmail(event.target.value)}
            />
          </div>
          <button type="submit" className="primary" disabled={busy || email.trim() === ''}>
            {t('Send a link')}
          </button>
        </form>
      )}
      <p className="beside">
        <a href={LOGIN_PATH}>{t('Back to sign in')}</a>
      </p>
    </Card>
  )
}
