import { t } from '../lib/i18n.ts'

/** The one block beside name and password, as the server says (contract/authentication.yaml `login_page`). */
export interface LoginForm {
  extra: 'challenge' | 'mfa' | 'captcha' | ''
  captcha?: { key: string; image_url: string }
}

interface ExtraFieldProps {
  form: LoginForm
  value: string
  onChange: (value: string) => void
  /** Asks for another picture. */
  onRefresh: () => void
  fault: boolean
}

/** Dynamic code, second factor or the sum of a picture. Its box is called `extra` in the page, whatever it holds. */
export function ExtraField({ form, value, onChange, onRefresh, fault }: ExtraFieldProps) {
  if (!form.extra) return null
  const box = (
    <input
      id="extra"
      // The second factor may be left empty: its own page follows then.
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
      <label htmlFor="extra">{labelOf(form.extra)}</label>
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

function labelOf(extra: LoginForm['extra']): string {
  if (extra === 'challenge') return t('Dynamic code')
  if (extra === 'mfa') return t('Code of your authenticator app')
  return t('Result of the sum in the picture')
}

/** The values as the server takes them. */
export function extraValues({ extra, captcha }: LoginForm, value: string): Record<string, string> {
  if (extra === 'captcha') return { captcha_0: captcha?.key ?? '', captcha_1: value.trim() }
  if (extra === 'challenge') return { challenge: value }
  if (extra === 'mfa') return value.trim() ? { mfa_type: 'otp', code: value.trim() } : {}
  return {}
}
