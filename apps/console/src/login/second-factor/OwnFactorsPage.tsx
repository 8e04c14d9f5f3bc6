import { useCallback, useEffect, useState } from 'react'
import { ApiError, request } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import type { ShownFactor } from '../../lib/second-factor.ts'
import type { PublicSettings } from '../../session/session.ts'
import { Card } from '../Card.tsx'
import { Refusal } from '../Refusal.tsx'
import { refusalText } from '../refusal-text.ts'
import { ProveForm } from './ProveForm.tsx'

const MFA = '/core/auth/profile/mfa/'
const PROFILE = '/api/v1/users/profile/'
const START = '/core/auth/profile/otp/enable/start/'
const DISABLE = '/core/auth/profile/otp/disable/'
const PASSKEYS = '/ui/users/profile'
const PHONE = '/ui/users/profile?activeTab=ProfileUpdate'

interface State {
  enabled: boolean
  forced: boolean
  types: ShownFactor[]
}

/** Where people see how they prove their second factor, and switch it on or off. */
export function OwnFactorsPage({ settings }: { settings: PublicSettings }) {
  const [state, setState] = useState<State>()
  const [refusal, setRefusal] = useState('')
  const [busy, setBusy] = useState(false)
  /** The server wants the factor proven before it is switched off. */
  const [proving, setProving] = useState(false)
  const load = useCallback(
    () => request<State>('GET', MFA, { quiet: true }).then(setState, (error) => setRefusal(refusalText(error))),
    [],
  )
  useEffect(() => void load(), [load])
  const set = async (mfa_level: 0 | 1) => {
    setBusy(true)
    setRefusal('')
    try {
      await request('PATCH', PROFILE, { body: { mfa_level }, quiet: true })
      setProving(false)
      await load()
    } catch (error) {
      if (error instanceof ApiError && error.code === 'mfa_verify_required') setProving(true)
      else setRefusal(refusalText(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Card settings={settings} heading={t('Second factor')}>
      <Refusal text={refusal} />
      {state && (
        <>
          <p>
            {state.enabled ? t('You sign in with MFA.') : t('You sign in without MFA.')}{' '}
            {state.forced && t('Your administrator requires it.')}
          </p>
          {proving ? (
            <ProveForm types={state.types} words={t('Verify MFA to turn it off.')} onProven={() => set(0)} />
          ) : (
            !state.forced && (
              <p className="wait-buttons">
                <button type="button" disabled={busy} onClick={() => void set(state.enabled ? 0 : 1)}>
                  {state.enabled ? t('Turn off') : t('Turn on')}
                </button>
              </p>
            )
          )}
          {state.enabled && !state.types.some(({ active }) => active) && (
            <p role="status">
              {t('No method is set up yet: you will set up an authenticator app at your next sign-in.')}
            </p>
          )}
          <ul className="factors">
            {state.types.map((factor) => (
              <li key={factor.type}>
                <strong>{factor.label}</strong>
                <span>{factor.active ? factor.sent_to || t('Set up') : t('Not set up')}</span>
                <FactorAction {...factor} />
              </li>
            ))}
          </ul>
        </>
      )}
      <p className="beside">
        <a href="/ui/">{t('Back to the console')}</a>
      </p>
    </Card>
  )
}

/** Where a way is set up or taken off. A RADIUS server knows its people without them. */
function FactorAction({ type, active }: ShownFactor) {
  if (type === 'otp')
    return active ? (
      <a href={DISABLE}>{t('Remove the authenticator app')}</a>
    ) : (
      <a href={START}>{t('Set up an authenticator app')}</a>
    )
  if (type === 'sms') return <a href={PHONE}>{active ? t('Change the phone') : t('Enter your phone')}</a>
  if (type === 'passkey') return <a href={PASSKEYS}>{t('My passkeys')}</a>
  return type === 'otp_radius' ? <span>{t('Cannot be turned off')}</span> : null
}
