import { type FormEvent, useState } from 'react'
import { ApiError, errorText, LOGIN_PATH, request } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import type { PublicSettings } from '../../session/session.ts'
import { Card } from '../Card.tsx'
import { Refusal } from '../Refusal.tsx'
import { ForgotBySms } from './ForgotBySms.tsx'

/** Asks for a new password, in one of the ways that this site has. */
export function ForgotPasswordPage({ settings }: { settings: PublicSettings }) {
  const ways = settings.FORGOT_PASSWORD_WAYS ?? ['mail']
  const [way, setWay] = useState(ways[0])
  return (
    <Card settings={settings} heading={t('Forgot password')}>
      {ways.length > 1 && (
        <fieldset className="ways">
          <legend>{t('Verification methods')}</legend>
          {ways.map((one) => (
            <label key={one}>
              <input type="radio" name="way" checked={one === way} onChange={() => setWay(one)} />{' '}
              {one === 'sms' ? t('By SMS') : t('By mail')}
            </label>
          ))}
        </fieldset>
      )}
      {way === 'sms' ? <ForgotBySms /> : <ForgotByMail />}
      <p className="beside">
        <a href={LOGIN_PATH}>{t('Back to sign-in')}</a>
      </p>
    </Card>
  )
}

/** Asks for a link; what is answered does not depend on who the address belongs to. */
function ForgotByMail() {
  const [email, setEmail] = useState('')
  const [refusal, setRefusal] = useState('')
  const [sent, setSent] = useState('')
  const [busy, setBusy] = useState(false)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setRefusal('')
    try {
      const { msg } = await request<{ msg: string }>('POST', location.pathname, {
        body: { email: email.trim() },
        quiet: true,
      })
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
    <>
      {sent ? (
        <p role="status">{sent}</p>
      ) : (
        <form onSubmit={(event) => void submit(event)} noValidate>
          <Refusal text={refusal} />
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
    </>
  )
}
