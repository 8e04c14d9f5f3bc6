import { type SyntheticEvent, useId, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { Select } from '../../design/boxes/Select.tsx'
import { ApiError, api, errorText, MFA_PATH } from '../../lib/api.ts'
import { usePause } from '../../lib/hooks/use-pause.ts'
import { t } from '../../lib/i18n.ts'
import { type ShownFactor, sendCode } from '../../lib/second-factor.ts'

const MAX_LENGTH = 128

interface Props {
  ways: readonly ShownFactor[]
  factor: ShownFactor
  onChoose: (factor: ShownFactor) => void
  onProven: () => void
}

/** A code of one way, which is sent where that is done, and the choice where there are several. */
export function MfaVerifyCode({ ways, factor, onChoose, onProven }: Props) {
  const [code, setCode] = useState('')
  const [error, setError] = useState<{ reason?: string }>()
  const [checking, setChecking] = useState(false)
  const { notice, wait, send } = useSentCode(factor.type)
  const id = useId()
  const { type, digits, sends, sent_to } = factor
  const verify = async (event: SyntheticEvent) => {
    event.preventDefault()
    if (checking) return
    if (digits ? code.length !== digits : !code) return setError({})
    setChecking(true)
    try {
      await api.post(MFA_PATH, type === 'otp' ? { code } : { type, code }, { quiet: true })
    } catch (failure) {
      setError({ reason: errorText(failure) })
      setCode('')
      return
    } finally {
      setChecking(false)
    }
    onProven()
  }
  const wrong = t('MFA Error, please check')
  return (
    <form className="mfa-verify" noValidate onSubmit={verify}>
      {ways.length > 1 && (
        <Select
          className="mfa-way"
          aria-label={t('Verification method')}
          value={type}
          options={ways.map((way) => ({ value: way.type, label: way.label }))}
          onChange={(next) => onChoose(ways.find((way) => way.type === next) ?? factor)}
        />
      )}
      <label htmlFor={id}>MFA</label>
      <div>
        <input
          id={id}
          type={digits ? 'text' : 'password'}
          // biome-ignore lint/a11y/noAutofocus: the dialog asks for nothing else
          autoFocus
          inputMode={digits ? 'numeric' : 'text'}
          autoComplete="one-time-code"
          maxLength={digits ?? MAX_LENGTH}
          value={code}
          aria-invalid={error !== undefined}
          aria-describedby={`${id}-help`}
          onChange={(event) => {
            setCode(event.target.value.trim())
            setError(undefined)
          }}
        />
        <p id={`${id}-help`} className={error ? 'bad' : undefined} role={error ? 'alert' : undefined}>
          {error ? wrong : hintOf(type, wait ? sent_to : '')}
          {error?.reason && error.reason !== wrong && <span>{error.reason}</span>}
        </p>
        {notice && (
          <p className="bad" role="alert">
            {notice}
          </p>
        )}
      </div>
      {sends && (
        <Button disabled={wait > 0} onClick={() => void send()}>
          {wait ? t('Again in {{count}} s', { count: wait }) : t('Send a code')}
        </Button>
      )}
      <Button type="primary" htmlType="submit" loading={checking}>
        {t('Confirm')}
      </Button>
    </form>
  )
}

/** Sends a code at most once in a while; `told` is why it could not be sent. */
function useSentCode(type: string) {
  const [notice, setNotice] = useState('')
  const [wait, pause] = usePause()
  const send = async () => {
    setNotice('')
    try {
      await sendCode(type)
      pause()
    } catch (failure) {
      const body = failure instanceof ApiError ? (failure.body as { msg?: string } | null) : null
      setNotice(body?.msg ?? errorText(failure))
    }
  }
  return { notice, wait, send }
}

function hintOf(type: string, sentTo: string): string {
  if (sentTo) return t('A code was sent to {{phone}}.', { phone: sentTo })
  if (type === 'otp') return t('The six digits your authenticator app shows now')
  return type === 'sms' ? t('Code from the SMS') : t('Code from your token')
}
