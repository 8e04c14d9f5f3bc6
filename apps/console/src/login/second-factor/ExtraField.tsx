import { t } from '../../lib/i18n.ts'
import { preferredFactor, type ShownFactor } from '../../lib/second-factor.ts'
import type { DemoAccount } from '../DemoAccounts.tsx'
import { FactorCode, FactorSelect } from './SecondFactorFields.tsx'

/**
 * The one block beside name and password, as the server says
 * (docs/rules/authentication.md#login_page).
 */
export interface LoginForm {
  /**
   * Days that a browser stays signed in when it closes; none are offered when it is 0 or absent.
   */
  auto_login_days?: number
  /** Where people ask for a new password, when that is not the page of this site. */
  forgot_password_url?: string
  /** In a demo: people that a visitor may sign in as. */
  demo_accounts?: readonly DemoAccount[]
  extra: 'challenge' | 'mfa' | 'captcha' | ''
  captcha?: { key: string; image_url: string }
  /** Ways of proving a second factor. */
  types?: ShownFactor[]
  /** The one that was chosen on this page. */
  chosen?: ShownFactor
}

interface ExtraFieldProps {
  form: LoginForm
  value: string
  onChange: (value: string) => void
  onForm: (form: LoginForm) => void
  /** As typed so far: a code may be sent to this person. */
  username: string
  /** Asks for another picture. */
  onRefresh: () => void
  fault: boolean
}

/**
 * Dynamic code, second factor or the sum of a picture. Its box is called `extra` in the page,
 * whatever it holds.
 */
export function ExtraField({ form, value, onChange, onForm, username, onRefresh, fault }: ExtraFieldProps) {
  if (!form.extra) return null
  if (form.extra === 'mfa') {
    const factor = factorOf(form)
    if (!factor) return null
    const choose = (chosen: ShownFactor) => {
      onForm({ ...form, chosen })
      onChange('')
    }
    // The code may be left out: its own page follows then.
    return (
      <>
        <FactorSelect id="extra_type" types={form.types ?? []} chosen={factor} onChoose={choose} />
        <FactorCode key={factor.type} id="extra" factor={factor} code={value} onCode={onChange} username={username} />
      </>
    )
  }
  const box = (
    <input
      id="extra"
      required={form.extra === 'captcha'}
      inputMode={form.extra === 'challenge' ? 'text' : 'numeric'}
      autoComplete={form.extra === 'captcha' ? 'off' : 'one-time-code'}
      maxLength={form.extra === 'challenge' ? 128 : 6}
      value={value}
      aria-invalid={fault}
      onChange={(event) => onChange(event.target.value)}
    />
  )
  return (
    <div className="field">
      <label htmlFor="extra">
        {form.extra === 'challenge' ? t('Dynamic code') : t('Result of the sum in the picture')}
      </label>
      {form.captcha ? (
        <div className="captcha">
          <img src={form.captcha.image_url} width={140} height={34} alt={t('Picture of a sum of two numbers')} />
          {box}
          <button type="button" onClick={onRefresh}>
            {t('Another sum')}
          </button>
        </div>
      ) : (
        box
      )}
    </div>
  )
}

const factorOf = ({ chosen, types }: LoginForm) => chosen ?? preferredFactor(types ?? [])

/** The values as the server takes them. */
export function extraValues(form: LoginForm, value: string): Record<string, string> {
  const { extra, captcha } = form
  if (extra === 'captcha') return { captcha_0: captcha?.key ?? '', captcha_1: value.trim() }
  if (extra === 'challenge') return { challenge: value }
  if (extra === 'mfa') return value.trim() ? { mfa_type: factorOf(form)?.type ?? '', code: value.trim() } : {}
  return {}
}
