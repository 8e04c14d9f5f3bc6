import { t } from '../../lib/i18n.ts'
import { rememberFactor, type ShownFactor, sendCode } from '../../lib/second-factor.ts'
import { SendButton } from '../SendButton.tsx'

const MAX_LENGTH = 128

interface FactorSelectProps {
  types: readonly ShownFactor[]
  chosen: ShownFactor
  onChoose: (factor: ShownFactor) => void
  id: string
}

/**
 * How to prove the second factor, where there are several ways; the choice is remembered on this
 * browser.
 */
export function FactorSelect({ types, chosen, onChoose, id }: FactorSelectProps) {
  if (types.length < 2) return null
  const choose = (type: string) => {
    const factor = types.find((one) => one.type === type)
    if (!factor) return
    rememberFactor(type)
    onChoose(factor)
  }
  return (
    <div className="field">
      <label htmlFor={id}>{t('Verification method')}</label>
      <select id={id} value={chosen.type} onChange={(event) => choose(event.target.value)}>
        {types.map(({ type, label, active }) => (
          <option key={type} value={type} disabled={!active}>
            {active ? label : t('{{name}} (not set up)', { name: label })}
          </option>
        ))}
      </select>
    </div>
  )
}

interface FactorCodeProps {
  factor: ShownFactor
  /** Id of the box. */
  id: string
  code: string
  onCode: (code: string) => void
  /** The person who wants a code, where the server does not know them yet; '' until they have said. */
  username?: string
  required?: boolean
  autoFocus?: boolean
}

/** The code of one way, with the button that has one sent where that is done. */
export function FactorCode({ factor, id, code, onCode, username, required, autoFocus }: FactorCodeProps) {
  const box = (
    <input
      id={id}
      required={required}
      // A RADIUS code may begin with a password.
      type={factor.digits ? 'text' : 'password'}
      inputMode={factor.digits ? 'numeric' : 'text'}
      autoComplete="one-time-code"
      maxLength={factor.digits ?? MAX_LENGTH}
      // biome-ignore lint/a11y/noAutofocus: the page has one thing to do
      autoFocus={autoFocus}
      value={code}
      onChange={(event) => onCode(event.target.value.trim())}
    />
  )
  return (
    <div className="field">
      <label htmlFor={id}>{codeLabel(factor.type)}</label>
      {factor.sends ? (
        <SendButton
          disabled={username === ''}
          hint={factor.sent_to ? t('The code is sent to {{phone}}.', { phone: factor.sent_to }) : ''}
          send={async () => {
            await sendCode(factor.type, username)
            return factor.sent_to
              ? t('A code was sent to {{phone}}.', { phone: factor.sent_to })
              : t('A code was sent.')
          }}
        >
          {box}
        </SendButton>
      ) : (
        box
      )}
    </div>
  )
}

function codeLabel(type: string): string {
  if (type === 'sms') return t('Code from the SMS')
  return type === 'otp' ? t('Code of your authenticator app') : t('Code from your token')
}
