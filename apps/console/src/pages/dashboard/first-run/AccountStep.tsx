import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { api } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { Field, StepForm, useStep } from './StepForm.tsx'
import type { Machine } from './use-first-run.ts'

/** The login on the machine, by password or key; it is tried before it is stored. */
export function AccountStep({ machine, onDone }: { machine: Machine; onDone: () => Promise<unknown> }) {
  const [byKey, setByKey] = useState(false)
  const [typed, setTyped] = useState({ username: '', password: '', private_key: '', passphrase: '' })
  const { isBusy, faults, send } = useStep(['username', 'password', 'private_key', 'passphrase'])
  const type = (change: Partial<typeof typed>) => setTyped({ ...typed, ...change })
  const { username, password, private_key, passphrase } = typed
  const login = { username: username.trim(), ...(byKey ? { private_key, passphrase } : { password }) }
  const store = async () => {
    const row = { ...login, name: `${login.username} · ${machine.hostname}`, protocol: 'ssh', auto_push: false }
    await api.post(systemUser.path, row, QUIET)
    await onDone()
  }
  const tryAndStore = async () => {
    await api.post(`${asset.path}${machine.id}/try-login/`, login, QUIET)
    await store()
  }
  return (
    <StepForm
      submit={t('Try it and save')}
      isBusy={isBusy}
      faults={faults}
      onSubmit={() => void send(tryAndStore)}
      more={
        <>
          <Button type="text" onClick={() => setByKey(!byKey)}>
            {byKey ? t('Use a password instead') : t('Use a private key instead')}
          </Button>
          {Object.keys(faults).length > 0 && (
            <Button type="text" onClick={() => void send(store)}>
              {t('Save it untried')}
            </Button>
          )}
        </>
      }
    >
      <Field
        label={t('Username on {{machine}}', { machine: machine.hostname })}
        value={username}
        onChange={(value) => type({ username: value })}
        fault={faults.username}
        placeholder="root"
        required
        maxLength={128}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      {byKey ? (
        <>
          <Field
            label={t('Private key')}
            isLong
            value={private_key}
            onChange={(value) => type({ private_key: value })}
            fault={faults.private_key}
          />
          <Field
            label={t('Passphrase of the key (if it has one)')}
            type="password"
            value={passphrase}
            onChange={(value) => type({ passphrase: value })}
            fault={faults.passphrase}
            autoComplete="new-password"
          />
        </>
      ) : (
        <Field
          label={t('Password')}
          type="password"
          value={password}
          onChange={(value) => type({ password: value })}
          fault={faults.password}
          required
          autoComplete="new-password"
        />
      )}
    </StepForm>
  )
}

const QUIET = { quiet: true }
