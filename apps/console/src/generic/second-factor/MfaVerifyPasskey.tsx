import { useEffect, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { answerPasskey, passkeyFault, passkeysWork } from '../../lib/passkey.ts'

const PATH = '/api/v1/authentication/passkeys/'

interface Props {
  onProven: () => void
  /** Called when the person has passkeys and nothing that a code could be of. */
  onOnly: () => void
}

/** The other way to prove the second factor, for people who have a passkey that works here. */
export function MfaVerifyPasskey({ onProven, onOnly }: Props) {
  const [isOffered, setOffered] = useState(false)
  const [fault, setFault] = useState('')
  const [busy, setBusy] = useState(false)
  const only = useRef(onOnly)
  useEffect(() => {
    if (!passkeysWork()) return
    // Without an answer the code stays the only way.
    api.get<{ mfa_choices: string[] }>(PATH, { quiet: true }).then(
      ({ mfa_choices }) => {
        if (!mfa_choices.includes('passkey')) return
        setOffered(true)
        if (mfa_choices.length === 1) only.current()
      },
      () => {},
    )
  }, [])
  if (!isOffered) return null
  const prove = async () => {
    setBusy(true)
    setFault('')
    try {
      const answer = await answerPasskey(await api.post(`${PATH}verify/options/`, {}, { quiet: true }))
      await api.post(`${PATH}verify/`, { answer }, { quiet: true })
    } catch (error) {
      setFault(passkeyFault(error))
      setBusy(false)
      return
    }
    onProven()
  }
  return (
    <div className="mfa-passkey">
      <Button block loading={busy} onClick={() => void prove()}>
        {t('Use a passkey')}
      </Button>
      {fault && (
        <p className="bad" role="alert">
          {fault}
        </p>
      )}
    </div>
  )
}
