import { t } from '../lib/i18n.ts'
import type { PublicSettings } from '../session/session.ts'
import { Card } from './Card.tsx'
import { DemoAccounts } from './DemoAccounts.tsx'
import { LoginMethods } from './LoginMethods.tsx'
import { PasskeySignIn } from './PasskeySignIn.tsx'
import { PasswordField } from './password/PasswordField.tsx'
import { Refusal } from './Refusal.tsx'
import { ExtraField } from './second-factor/ExtraField.tsx'
import { useSignIn } from './use-sign-in.ts'

/** Name and password; the server says where to go next. */
export function LoginPage({ settings }: { settings: PublicSettings }) {
  const { typed, type, form, setForm, refusal, setRefusal, isBusy, submit, refreshCaptcha } = useSignIn()
  const isPasswordNew = new URLSearchParams(location.search).get('password') === 'changed'
  return (
    <Card settings={settings} heading={t('Sign in')}>
      <form onSubmit={(event) => void submit(event)}>
        {isPasswordNew && !refusal && <p role="status">{t('Your new password is set: sign in with it')}</p>}
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
            value={typed.username}
            aria-invalid={refusal?.field === 'username'}
            onChange={(event) => type({ username: event.target.value })}
          />
        </div>
        <PasswordField
          id="password"
          label={t('Password')}
          autoComplete="current-password"
          value={typed.password}
          onChange={(password) => type({ password })}
        />
        <ExtraField
          form={form}
          value={typed.extra}
          onChange={(extra) => type({ extra })}
          onForm={setForm}
          username={typed.username.trim()}
          onRefresh={() => void refreshCaptcha().catch(() => location.reload())}
          fault={refusal?.field === 'captcha'}
        />
        {Boolean(form.auto_login_days) && (
          <label className="stay">
            <input
              type="checkbox"
              name="auto_login"
              checked={typed.stay}
              onChange={(event) => type({ stay: event.target.checked })}
            />{' '}
            {t('Stay signed in for {{n|day|days}}', { n: form.auto_login_days ?? 0 })}
          </label>
        )}
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? t('Signing in') : t('Sign in')}
        </button>
        {settings.AUTH_PASSKEY && <PasskeySignIn stay={typed.stay} onRefusal={setRefusal} />}
      </form>
      <p className="beside">
        <a href={form.forgot_password_url || '/core/auth/password/forgot/'}>{t('Forgot password')}</a>
      </p>
      {form.demo_accounts && (
        <DemoAccounts
          accounts={form.demo_accounts}
          onChoose={({ username, password }) => type({ username, password })}
        />
      )}
      <LoginMethods methods={settings.LOGIN_METHODS} />
    </Card>
  )
}
