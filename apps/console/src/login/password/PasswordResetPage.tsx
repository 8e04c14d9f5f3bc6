import { type FormEvent, useState } from 'react'
import { PasswordStrength } from '../../design/inputs/PasswordStrength.tsx'
import { ApiError, errorText, request } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { checkPassword } from '../../lib/password-rules.ts'
import type { PublicSettings } from '../../session/session.ts'
import { Card } from '../Card.tsx'
import { Refusal } from '../Refusal.tsx'
import { PasswordField } from './PasswordField.tsx'

/** Why a sign-in leads here, by the code of its refusal; a person who comes by a link has asked for it. */
const WHY: Readonly<Record<string, string>> = {
  passwd_need_update: msg('Your password was given to you. Choose one that only you know.'),
  passwd_has_expired: msg('Your password has expired.'),
  passwd_too_simple: msg('Your password is too easy to guess.'),
}

/** A new password in place of a first, expired or forgotten one; the address carries a token. */
export function PasswordResetPage({ settings }: { settings: PublicSettings }) {
  const [password, setPassword] = useState('')
  const [repeated, setRepeated] = useState('')
  const [faults, setFaults] = useState<Record<string, string>>({})
  const [refusal, setRefusal] = useState('')
  const [busy, setBusy] = useState(false)
  const why = WHY[new URLSearchParams(location.search).get('why') ?? '']
  const checks = checkPassword(password, settings.PASSWORD_RULE)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setRefusal('')
    if (password !== repeated) {
      setFaults({ confirm_password: t('The two passwords differ') })
      document.getElementById('confirm_password')?.focus()
      return
    }
    setFaults({})
    setBusy(true)
    try {
      const token = new URLSearchParams(location.search).get('token') ?? ''
      const { next } = await request<{ next: string }>('POST', location.pathname, {
        body: { token, new_password: password, confirm_password: repeated },
        quiet: true,
      })
      location.assign(next)
    } catch (error) {
      setBusy(false)
      const fields = error instanceof ApiError ? error.fields : undefined
      if (!fields) {
        setRefusal(errorText(error))
        return
      }
      const texts = Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [name, Array.isArray(value) ? value.join('; ') : String(value)]),
      )
      setFaults(texts)
      const { new_password: _, confirm_password: __, ...others } = texts
      setRefusal(Object.values(others).join('; '))
    }
  }
  return (
    <Card settings={settings} heading={t('Choose a new password')}>
      <form onSubmit={(event) => void submit(event)}>
        {why && <p role="status">{t(why)}</p>}
        <Refusal text={refusal} />
        <PasswordField
          id="new_password"
          label={t('New password')}
          autoComplete="new-password"
          autoFocus
          value={password}
          onChange={setPassword}
          fault={faults.new_password}
        />
        <PasswordStrength className="rules" password={password} checks={checks} />
        <PasswordField
          id="confirm_password"
          label={t('New password again')}
          autoComplete="new-password"
          value={repeated}
          onChange={setRepeated}
          fault={faults.confirm_password}
        />
        <button type="submit" className="primary" disabled={busy || checks.some(({ met }) => !met)}>
          {t('Save and continue')}
        </button>
      </form>
    </Card>
  )
}
