import { Button } from 'antd'
import { useEffect, useState } from 'react'
import { api } from '../lib/api.ts'
import { t } from '../lib/i18n.ts'
import { answerPasskey, passkeyFault, passkeysWork } from '../lib/passkey.ts'

const PATH = '/api/v1/authentication/passkeys/'

/** The other way to prove the second factor, for people who have a passkey that works here. */
export function MfaVerifyPasskeyBody({ onProven }: { onProven: () => void }) {
  const [isOffered, setOffered] = useState(false)
  const [fault, setFault] = useState('')
  const [busy, setBusy] = useState(false)
  useEffect(() => {
    if (!passkeysWork()) return
    // Without an answer the code stays the only way.
    api.get<{ passkeys: unknown[] }>(PATH, { quiet: true }).then(
      ({ passkeys }) => setOffered(passkeys.length > 0),
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
