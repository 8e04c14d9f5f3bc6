import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { showError, showSuccess } from '../../design/dialogs/feedback.tsx'
import { api, errorText, type Row } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { session } from '../../session/session.ts'
import { isBound, MESSENGERS, type MessengerName, unbindPath } from './messengers.ts'
import { PROFILE_PATH } from './own-profile.ts'
import { PasswordProof } from './PasswordProof.tsx'

/** Back to where the person was, tab and all. */
const bindAddress = (name: MessengerName) =>
  `/core/auth/${name}/qr/bind/?redirect_url=${encodeURIComponent(location.pathname + location.search)}`

/**
 * The ways in which I sign in besides my password: bound and unbound after the password was proven
 * (docs/rules/users.md#profile).
 */
export function AuthSettingsPanel({ row }: { row: Row }) {
  const { settings } = session()
  const [asking, setAsking] = useState<MessengerName>()
  const shown = MESSENGERS.filter(({ setting }) => settings[setting] === true)
  const go = async (name: MessengerName) => {
    setAsking(undefined)
    if (!isBound(row, name)) return location.assign(bindAddress(name))
    try {
      await api.post(unbindPath(name), undefined, { quiet: true })
      showSuccess(t('Unbound'))
    } catch (error) {
      showError(errorText(error))
    }
    await forget(PROFILE_PATH)
  }
  return (
    <section className="panel">
      <h2>{t('Sign-in methods')}</h2>
      <ul className="quick-actions">
        {shown.map(({ name, own }) => (
          <li key={name}>
            <span>{t(own)}</span>
            <Button
              size="small"
              type="primary"
              aria-label={`${t(own)}: ${bindWord(row, name)}`}
              onClick={() => setAsking(name)}
            >
              {bindWord(row, name)}
            </Button>
          </li>
        ))}
        <li>
          <span>{t('Set MFA')}</span>
          <a
            className="button small"
            aria-label={`${t('Set MFA')}: ${t('Set up@@action')}`}
            href="/core/auth/profile/mfa/"
          >
            {t('Set up@@action')}
          </a>
        </li>
      </ul>
      {asking && (
        <PasswordProof
          title={t('Verify password')}
          onProven={() => void go(asking)}
          onCancel={() => setAsking(undefined)}
        />
      )}
    </section>
  )
}

const bindWord = (row: Row, name: MessengerName) => (isBound(row, name) ? t('Unbind') : t('Bind'))
