import { WIRE } from '@sallyport/contract/constants.ts'
import { type FormEvent, useEffect, useState } from 'react'
import { ApiError, errorText, LOGIN_PATH, request } from '../lib/api.ts'
import { readCookie } from '../lib/cookies.ts'
import { t } from '../lib/i18n.ts'
import type { PublicSettings } from '../session/session.ts'
import { Card } from './Card.tsx'
import { LoginMethods } from './LoginMethods.tsx'
import { PasskeySignIn } from './PasskeySignIn.tsx'
import { PasswordField } from './password/PasswordField.tsx'
import { sealPassword } from './password/seal-password.ts'
import { Refusal } from './Refusal.tsx'
import { ExtraField, extraValues, type LoginForm } from './second-factor/ExtraField.tsx'

/** The body of a refused sign-in. */
interface Refused {
  error?: string
  msg?: string
  field?: string
  url?: string
  form?: LoginForm
}

const CAPTCHA = '/core/auth/captcha/refresh/'

/** Name and password; the server says where to go next. */
export function LoginPage({ settings }: { settings: PublicSettings }) {
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [stay, setStay] = useState(false)
  const [refusal, setRefusal] = useState<{ text: string; field?: string | undefined }>()
  const [busy, setBusy] = useState(false)
  const [form, setForm] = useState<LoginForm>({ extra: '' })
  const [extra, setExtra] = useState('')

  // Without an answer the page asks for name and password alone; a refusal says what else is
  // needed.
  useEffect(() => {
    request<LoginForm & { refusal?: string }>('GET', LOGIN_PATH, { quiet: true }).then(
      ({ refusal: text, ...asked }) => {
        setForm(asked)
        // Why a provider's sign-in, which led here, was refused.
        if (text) setRefusal({ text })
      },
      () => {},
    )
  }, [])
  const refresh = async () => {
    const captcha = await request<NonNullable<LoginForm['captcha']>>('GET', CAPTCHA, { quiet: true })
    setForm((now) => ({ ...now, extra: 'captcha', captcha }))
    setExtra('')
    document.getElementById('extra')?.focus()
  }

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setRefusal(undefined)
    try {
      const body = new URLSearchParams({
        username: username.trim(),
        password: await sealPassword(password),
        csrfmiddlewaretoken: readCookie(WIRE.csrfCookie) ?? '',
        next: new URLSearchParams(location.search).get('next') ?? '',
        ...(stay ? { auto_login: 'on' } : {}),
        ...extraValues(form, extra),
      })
      const { next } = await request<{ next: string }>('POST', LOGIN_PATH, { body, quiet: true })
      location.assign(next)
    } catch (error) {
      const body =
        error instanceof ApiError && typeof error.body === 'object' ? (error.body as Refused | null) : undefined
      // Too simple, expired or given by somebody else: the password was right, and a new one is
      // due.
      if (body?.error?.startsWith('passwd_') && body.url) {
        location.assign(body.url)
        return
      }
      setBusy(false)
      setExtra('')
      if (body?.form) setForm(body.form)
      // The password was not looked at: nobody types it twice for a sum.
      if (body?.field !== 'captcha') setPassword('')
      // `msg` is for people, `error` is a code.
      setRefusal({ text: body?.msg ?? errorText(error), field: body?.field })
      // Once the box is there.
      setTimeout(() => document.getElementById(body?.field === 'captcha' ? 'extra' : 'password')?.focus())
    }
  }
  return (
    <Card settings={settings} heading={t('Sign in')}>
      <form onSubmit={(event) => void submit(event)}>
        <Refusal text={refusal?.text} />
        <div className="field">
          <label htmlFor="username">{t('Username')}</label>
          <input
            id="username"
            name="username"
            required
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            // biome-ignore lint/a11y/noAutofocus: the page has one thing to do
            autoFocus
            value={username}
            aria-invalid={refusal?.field === 'username'}
            onChange={(event) => setUsername(event.target.value)}
          />
        </div>
        <PasswordField
          id="password"
          label={t('Password')}
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
        />
        <ExtraField
          form={form}
          value={extra}
          onChange={setExtra}
          onForm={setForm}
          username={username.trim()}
          onRefresh={() => void refresh().catch(() => location.reload())}
          fault={refusal?.field === 'captcha'}
        />
        {Boolean(form.auto_login_days) && (
          <label className="stay">
            <input
              type="checkbox"
              name="auto_login"
              checked={stay}
              onChange={(event) => setStay(event.target.checked)}
            />{' '}
            {t('{{n|day|days}} auto login', { n: form.auto_login_days ?? 0 })}
          </label>
        )}
        <button type="submit" className="primary" disabled={busy}>
          {busy ? t('Signing in') : t('Sign in')}
        </button>
        {settings.AUTH_PASSKEY && <PasskeySignIn stay={stay} onRefusal={setRefusal} />}
      </form>
      <p className="beside">
        <a href={form.forgot_password_url || '/core/auth/password/forgot/'}>{t('Forgot password')}</a>
      </p>
      <LoginMethods methods={settings.LOGIN_METHODS} />
    </Card>
  )
}
