import { useState } from 'react'
import { request } from '../lib/api.ts'
import { t } from '../lib/i18n.ts'
import { answerPasskey, passkeyFault, passkeysWork } from '../lib/passkey.ts'

const PATH = '/core/auth/login/passkey/'

interface Props {
  /** Whether the browser is to stay signed in when it closes. */
  stay: boolean
  onRefusal: (refusal: { text: string } | undefined) => void
}

/** Signs in with a passkey, without name and password; nothing where this browser has none. */
export function PasskeySignIn({ stay, onRefusal }: Props) {
  const [busy, setBusy] = useState(false)
  if (!passkeysWork()) return null
  const signIn = async () => {
    setBusy(true)
    onRefusal(undefined)
    try {
      const answer = await answerPasskey(await request('POST', `${PATH}options/`, { body: {}, quiet: true }))
      const body = { answer, auto_login: stay, next: new URLSearchParams(location.search).get('next') ?? '' }
      const { next } = await request<{ next: string }>('POST', PATH, { body, quiet: true })
      location.assign(next)
    } catch (error) {
      setBusy(false)
      onRefusal({ text: passkeyFault(error) })
    }
  }
  return (
    <button type="button" className="secondary" disabled={busy} onClick={() => void signIn()}>
      {t('Sign in with a passkey')}
    </button>
  )
}
