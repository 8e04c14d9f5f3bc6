import { useState } from 'react'
import { request } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { answerPasskey, passkeyFault, passkeysWork } from '../../lib/passkey.ts'
import { Refusal } from '../Refusal.tsx'

const PATH = '/core/auth/login/mfa/passkey/'

/** A passkey after name and password; the server says where to go next. */
export function PasskeyStep() {
  const [refusal, setRefusal] = useState('')
  const [busy, setBusy] = useState(false)
  if (!passkeysWork())
    return <p>{t('Passkeys do not work here: open this site by its name and HTTPS, or choose another way.')}</p>
  const prove = async () => {
    setBusy(true)
    setRefusal('')
    try {
      const answer = await answerPasskey(await request('POST', `${PATH}options/`, { body: {}, quiet: true }))
      const { next } = await request<{ next: string }>('POST', PATH, { body: { answer }, quiet: true })
      location.assign(next)
    } catch (error) {
      setBusy(false)
      setRefusal(passkeyFault(error))
    }
  }
  return (
    <>
      <Refusal text={refusal} />
      <button
        type="button"
        className="primary"
        disabled={busy}
        // biome-ignore lint/a11y/noAutofocus: the page has one thing to do
        autoFocus
        onClick={() => void prove()}
      >
        {t('Use a passkey')}
      </button>
    </>
  )
}
