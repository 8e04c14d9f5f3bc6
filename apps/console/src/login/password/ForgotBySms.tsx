import { useState } from 'react'
import { ApiError, request } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { refusalText } from '../refusal-text.ts'
import { SendButton } from '../SendButton.tsx'
import { StepForm } from '../StepForm.tsx'

const FORGOT = '/core/auth/password/forgot/'
const DIGITS = 6

/** The words of a refusal, by field or as a whole. */
function textOf(error: unknown): string {
  const fields = error instanceof ApiError ? error.fields : undefined
  return fields ? Object.values(fields).flat().join('; ') : refusalText(error)
}

/**
 * A new password with a code that is sent to the phone of the account; what is answered does not
 * depend on whether there is one.
 */
export function ForgotBySms() {
  const [username, setUsername] = useState('')
  const [phone, setPhone] = useState('')
  const [code, setCode] = useState('')
  const send = async () => {
    try {
      return (await request<{ msg: string }>('POST', `${FORGOT}send-code/`, { body: { username, phone }, quiet: true }))
        .msg
    } catch (error) {
      throw new Error(textOf(error))
    }
  }
  return (
    <StepForm
      onSubmit={async () =>
        (
          await request<{ next: string }>('POST', `${FORGOT}verify-code/`, {
            body: { username, phone, code },
            quiet: true,
          })
        ).next
      }
      onRefused={() => setCode('')}
      focus="code"
      refusalOf={textOf}
      button={t('Choose a new password')}
      isReady={code.length === DIGITS}
    >
      <div className="field">
        <label htmlFor="username">{t('Username')}</label>
        <input
          id="username"
          required
          autoComplete="username"
          autoCapitalize="none"
          value={username}
          onChange={(event) => setUsername(event.target.value.trim())}
        />
      </div>
      <div className="field">
        <label htmlFor="phone">{t('Phone of your account')}</label>
        <input
          id="phone"
          required
          type="tel"
          autoComplete="tel-national"
          maxLength={20}
          value={phone}
          onChange={(event) => setPhone(event.target.value.trim())}
        />
      </div>
      <div className="field">
        <label htmlFor="code">{t('Code from the SMS')}</label>
        <SendButton send={send} disabled={!username || !phone}>
          <input
            id="code"
            required
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={DIGITS}
            value={code}
            onChange={(event) => setCode(event.target.value.trim())}
          />
        </SendButton>
      </div>
    </StepForm>
  )
}
