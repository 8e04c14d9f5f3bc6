import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { api } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { LOGIN_FIELDS, LoginFields, loginOf, NO_LOGIN } from './LoginFields.tsx'
import { StepForm, useStep } from './StepForm.tsx'
import type { Machine } from './use-first-run.ts'

/** The login on the machine, by password or key; it is tried before it is stored. */
export function AccountStep({ machine, onDone }: { machine: Machine; onDone: () => Promise<unknown> }) {
  const [typed, setTyped] = useState(NO_LOGIN)
  const { isBusy, faults, send } = useStep(LOGIN_FIELDS)
  const login = loginOf(typed)
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
      submit={t('Test and save')}
      isBusy={isBusy}
      faults={faults}
      onSubmit={() => void send(tryAndStore)}
      more={
        Object.keys(faults).length > 0 && (
          <Button type="text" onClick={() => void send(store)}>
            {t('Save without testing')}
          </Button>
        )
      }
    >
      <LoginFields
        usernameLabel={t('Username on {{machine}}', { machine: machine.hostname })}
        login={typed}
        onChange={setTyped}
        faults={faults}
      />
    </StepForm>
  )
}

const QUIET = { quiet: true }
