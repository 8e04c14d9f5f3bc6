import { type FormEvent, useEffect, useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { Input } from '../../../design/inputs/Input.tsx'
import { SecretInput } from '../../../design/inputs/SecretInput.tsx'
import { api, errorText } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import type { SystemUser } from '../../connect/system-user-choice.ts'
import { readPlace } from '../folder/files-api.ts'

export interface ManualSignInProps {
  /** Machine, by its id or through the nodes. */
  path: string
  onSignedIn: () => void
}

/**
 * Where the system user of a path is signed in by hand: asks for the password, which is kept for a
 * short time by the server alone. Draws nothing elsewhere.
 */
export function ManualSignIn({ path, onSignedIn }: ManualSignInProps) {
  const [account, setAccount] = useState<{ asset: string; systemUser: SystemUser }>()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  useEffect(() => {
    let isGone = false
    const find = async () => {
      const { asset, system_user } = await readPlace(path)
      if (!asset) return
      const all = await api.get<SystemUser[]>(`/api/v1/perms/users/assets/${asset}/system-users/`, { quiet: true })
      const systemUser = all.find(({ id, login_mode }) => id === system_user && login_mode === 'manual')
      if (isGone || !systemUser) return
      setAccount({ asset, systemUser })
      setUsername(systemUser.username)
    }
    find().catch(() => {
      // The pane says why there are no files.
    })
    return () => {
      isGone = true
    }
  }, [path])

  if (!account) return null
  const { asset, systemUser } = account
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    try {
      const body = { instance_id: asset, username: username.trim(), password, protocol: systemUser.protocol }
      await api.post(`/api/v1/assets/system-users/${systemUser.id}/temp-auth/`, body, { quiet: true })
      onSignedIn()
    } catch (error) {
      setProblem(errorText(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="fm-sign-in" onSubmit={(event) => void submit(event)}>
      <Input
        aria-label={t('Username')}
        placeholder={t('Username')}
        autoComplete="off"
        value={username}
        onChange={setUsername}
      />
      <SecretInput
        aria-label={t('Password')}
        placeholder={t('Password')}
        autoComplete="off"
        value={password}
        onChange={setPassword}
      />
      <Button type="primary" htmlType="submit" loading={busy} disabled={!password || !username.trim()}>
        {t('Connect')}
      </Button>
      {problem && <p role="alert">{problem}</p>}
    </form>
  )
}
