import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react'
import { ApiError, request } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import type { ShownFactor } from '../../lib/second-factor.ts'
import { LostFactor } from '../../session/LostFactor.tsx'
import type { PublicSettings } from '../../session/session.ts'
import { Card } from '../Card.tsx'
import { PasswordField } from '../password/PasswordField.tsx'
import { Refusal } from '../Refusal.tsx'
import { refusalText } from '../refusal-text.ts'
import { StepForm } from '../StepForm.tsx'
import { ProveForm } from './ProveForm.tsx'

/** Few who sign in ever see it. */
const QrCode = lazy(() => import('@rc-component/qrcode').then((m) => ({ default: m.QRCodeSVG })))

const BIND = '/core/auth/profile/otp/enable/bind/'
const MFA = '/core/auth/profile/mfa/'
const DISABLE = '/core/auth/profile/otp/disable/'
const CODE_LENGTH = 6

interface Props {
  settings: PublicSettings
}

/** A code, sent to `path` with the other values; the server says where to go next. */
function CodeForm({
  path,
  field,
  values = {},
  children,
}: {
  path: string
  field: string
  values?: object
  children?: ReactNode
}) {
  const [code, setCode] = useState('')
  return (
    <StepForm
      onSubmit={async () => {
        const body = { ...values, [field]: code }
        const { next } = await request<{ next: string }>('POST', path, { body, quiet: true })
        // A person who came here from a page of the console goes back there by the sign-in.
        const from = new URLSearchParams(location.search).get('next')
        return from ? `${next}?next=${encodeURIComponent(from)}` : next
      }}
      onRefused={() => setCode('')}
      focus="code"
      button={t('Confirm')}
      isReady={code.length === CODE_LENGTH}
    >
      {children}
      <div className="field">
        <label htmlFor="code">{t('Code of your authenticator app')}</label>
        <input
          id="code"
          required
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={CODE_LENGTH}
          // biome-ignore lint/a11y/noAutofocus: the page has one thing to do
          autoFocus
          value={code}
          onChange={(event) => setCode(event.target.value.trim())}
        />
      </div>
    </StepForm>
  )
}

/** Shows a new secret, and stores it once a code proves that the app has it. */
export function BindPage({ settings }: Props) {
  const [offer, setOffer] = useState<{ secret: string; uri: string }>()
  const [refusal, setRefusal] = useState('')
  /** The ways that the person has already, one of which is to be proven first. */
  const [ways, setWays] = useState<ShownFactor[]>()
  const load = useCallback(async () => {
    try {
      setOffer(await request<{ secret: string; uri: string }>('GET', BIND, { quiet: true }))
      setWays(undefined)
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'mfa_verify_required')) return setRefusal(refusalText(error))
      setWays((await request<{ types: ShownFactor[] }>('GET', MFA, { quiet: true })).types)
    }
  }, [])
  useEffect(() => void load(), [load])
  return (
    <Card settings={settings} heading={t('Set up an authenticator app')}>
      <Refusal text={refusal} />
      {ways && <ProveForm types={ways} words={t('Verify MFA first, then set up another method.')} onProven={load} />}
      {offer && (
        <CodeForm path={BIND} field="otp_code">
          <p>
            {t('Scan this with an authenticator app, or type the secret into it. Then enter the code that it shows.')}
          </p>
          <p className="qr-code">
            <Suspense fallback={null}>
              <QrCode value={offer.uri} size={176} marginSize={2} title={t('QR code for the authenticator app')} />
            </Suspense>
          </p>
          <p>
            {t('Secret')}: <code>{offer.secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
          </p>
          <p className="told">{t('Afterwards you sign in again, with the next code.')}</p>
        </CodeForm>
      )}
    </Card>
  )
}

/** Takes the app off, with password and code. */
export function DisablePage({ settings }: Props) {
  const [password, setPassword] = useState('')
  return (
    <Card settings={settings} heading={t('Remove the authenticator app')}>
      <CodeForm path={DISABLE} field="otp_code" values={{ password }}>
        <PasswordField
          id="password"
          label={t('Password')}
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
        />
      </CodeForm>
      <LostFactor />
      <p>
        <a href="/ui/">{t('Back to the console')}</a>
      </p>
    </Card>
  )
}
