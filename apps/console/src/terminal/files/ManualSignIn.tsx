import { Button, Input, Select } from 'antd'
import { type FormEvent, useEffect, useState } from 'react'
import { api, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { type SystemUser, systemUserLabel } from '../system-user-choice.ts'

export interface ManualSignInProps {
  assetId: string
  /** Of a system user, when the path names one. */
  systemUser: string | undefined
  onSignedIn: () => void
}

/** Where a machine's system user is signed in by hand: asks for the password, which is kept for a short time by the server alone. Draws nothing elsewhere. */
export function ManualSignIn({ assetId, systemUser, onSignedIn }: ManualSignInProps) {
  const [choices, setChoices] = useState<SystemUser[]>([])
  const [chosen, setChosen] = useState<SystemUser>()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  useEffect(() => {
    let isGone = false
    const choose = (all: SystemUser[]) => {
      const manual = all.filter(({ protocol, login_mode }) => protocol === 'ssh' && login_mode === 'manual')
      const first = manual.find(({ name }) => name === systemUser) ?? manual[0]
      if (isGone || !first) return
      setChoices(manual)
      setChosen(first)
      setUsername(first.username)
    }
    api.get<SystemUser[]>(`/api/v1/perms/users/assets/${encodeURIComponent(assetId)}/system-users/`, { quiet: true }).then(choose, () => {
      // The pane says why there are no files.
    })
    return () => {
      isGone = true
    }
  }, [assetId, systemUser])

  if (!chosen) return null
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    try {
      const body = { instance_id: assetId, username: username.trim(), password, protocol: chosen.protocol }
      await api.post(`/api/v1/assets/system-users/${chosen.id}/temp-auth/`, body, { quiet: true })
      onSignedIn()
    } catch (error) {
      setProblem(errorText(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="fm-sign-in" onSubmit={(event) => void submit(event)}>
      {choices.length > 1 && (
        <Select
          aria-label={t('System user')}
          value={chosen.id}
          options={choices.map((one) => ({ value: one.id, label: systemUserLabel(one) }))}
          onChange={(id: string) => {
            const next = choices.find((one) => one.id === id)
            setChosen(next)
            setUsername(next?.username ?? '')
          }}
        />
      )}
      <Input
        aria-label={t('Username')}
        placeholder={t('Username')}
        autoComplete="off"
        value={username}
        onChange={({ target }) => setUsername(target.value)}
      />
      <Input.Password
        aria-label={t('Password')}
        placeholder={t('Password')}
        autoComplete="off"
        value={password}
        onChange={({ target }) => setPassword(target.value)}
      />
      <Button type="primary" htmlType="submit" loading={busy} disabled={!password || !username.trim()}>
        {t('Connect')}
      </Button>
      {problem && <p role="alert">{problem}</p>}
    </form>
  )
}
