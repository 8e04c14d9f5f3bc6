import '../dialogs-body.css'
import { useEffect, useState } from 'react'
import { LazyDialog } from '../../design/dialogs/lazy-dialog.tsx'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { preferredFactor, rememberFactor, type ShownFactor } from '../../lib/second-factor.ts'
import { LostFactor } from '../../session/LostFactor.tsx'
import { MfaVerifyCode } from './MfaVerifyCode.tsx'
import { MfaVerifyPasskey } from './MfaVerifyPasskey.tsx'

const WAYS = '/core/auth/profile/mfa/'
const SET_UP = '/core/auth/profile/otp/enable/start/'
const APP: ShownFactor = { type: 'otp', label: 'OTP', active: true, digits: 6, sends: false, sent_to: '' }

/** For people who have nothing to prove it with: where they set it up, and come back from. */
function NoFactor() {
  const here = `${location.pathname}${location.search}`
  return (
    <div className="no-factor">
      <p>{t('This is shown to people with a second factor only, and you have none yet.')}</p>
      <p>{t('Set up an authenticator app, sign in again with its code, and you are back on this page.')}</p>
      <a className="button primary" href={`${SET_UP}?next=${encodeURIComponent(here)}`}>
        {t('Set up@@act')}
      </a>
    </div>
  )
}

export interface MfaVerifyDialogProps {
  onProven: () => void
  onCancel: () => void
}

/**
 * Asks for the second factor in one of the ways that the person has: the six figures of an
 * authenticator app (A5.10 B5.06 B8.16), others, or a passkey.
 */
export function ProveDialog({ onProven, onCancel }: MfaVerifyDialogProps) {
  const [ways, setWays] = useState<readonly ShownFactor[]>([APP])
  const [chosen, setChosen] = useState(APP)
  const [hasCode, setHasCode] = useState(true)
  const [hasNone, setHasNone] = useState(false)
  useEffect(() => {
    // Without an answer the app stays the only way.
    api.get<{ types: ShownFactor[] }>(WAYS, { quiet: true }).then(
      ({ types = [] }) => {
        if (types.length > 0 && !types.some(({ active }) => active)) return setHasNone(true)
        const typed = types.filter(({ type, active }) => active && type !== 'passkey')
        const first = preferredFactor(typed)
        if (!first) return
        setWays(typed)
        setChosen(first)
      },
      () => {},
    )
  }, [])
  const choose = (factor: ShownFactor) => {
    rememberFactor(factor.type)
    setChosen(factor)
  }
  return (
    <LazyDialog title={t('Verify MFA')} width={440} onClose={onCancel}>
      {hasNone ? (
        <NoFactor />
      ) : (
        <>
          {hasCode && (
            <MfaVerifyCode key={chosen.type} ways={ways} factor={chosen} onChoose={choose} onProven={onProven} />
          )}
          <MfaVerifyPasskey onProven={onProven} onOnly={() => setHasCode(false)} />
          <LostFactor />
        </>
      )}
    </LazyDialog>
  )
}
